#include "tuner/base/expr_graph.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/expr_code.h"
#include "tuner/base/hash.h"

void expr_graph_fini(struct expr_graph *g)
{
	free(g->nodes);
	intern_fini(&g->table);
	*g = (struct expr_graph){0};
}

size_t expr_graph_operands(const struct expr_graph_node *n, uint32_t operands[3])
{
	operands[0] = n->a;
	operands[1] = n->b;
	operands[2] = n->c;
	if (n->kind < EXPR_GRAPH_APPLY)
		return 0;
	return n->kind == EXPR_GRAPH_IF ? 3 : 2;
}

/* ---- nodes by content ---- */

enum { KEY_WORDS = 6 };

static void make_key(const struct expr_graph_node *n, uint64_t key[KEY_WORDS])
{
	key[0] = (uint64_t)n->kind << 32 | n->op;
	key[1] = (uint64_t)n->a << 32 | n->b;
	key[2] = (uint64_t)n->c << 32 | n->slot;
	key[3] = n->constant.kind;
	memcpy(&key[4], &n->constant.lo, sizeof key[4]);
	memcpy(&key[5], &n->constant.hi, sizeof key[5]);
}

struct wanted {
	const struct expr_graph *graph;
	uint64_t key[KEY_WORDS];
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	uint64_t key[KEY_WORDS];

	make_key(&w->graph->nodes[id], key);
	return memcmp(key, w->key, sizeof key) == 0;
}

static bool reserve(struct expr_graph *g)
{
	const size_t capacity = g->capacity ? 2 * g->capacity : 64;

	if (g->n < g->capacity)
		return true;
	struct expr_graph_node *grown = realloc(g->nodes, capacity * sizeof *grown);
	if (!grown)
		return false;
	g->nodes = grown;
	g->capacity = capacity;
	return true;
}

/* The node's number, or INTERN_NONE when out of memory. */
static uint32_t node_of(struct expr_graph *g, const struct expr_graph_node *n)
{
	struct wanted w = {.graph = g};

	make_key(n, w.key);
	const uint64_t hash = hash_bytes(w.key, sizeof w.key);
	const uint32_t known = intern_find(&g->table, hash, is_wanted, &w);
	if (known != INTERN_NONE)
		return known;
	if (!reserve(g) || !intern_add(&g->table, hash, (uint32_t)g->n))
		return INTERN_NONE;
	g->nodes[g->n] = *n;
	return (uint32_t)g->n++;
}

static uint32_t constant_node(struct expr_graph *g, struct range value)
{
	return node_of(g,
		       &(struct expr_graph_node){.kind = EXPR_GRAPH_CONSTANT, .constant = value});
}

static uint32_t slot_node(struct expr_graph *g, size_t slot)
{
	return node_of(g,
		       &(struct expr_graph_node){.kind = EXPR_GRAPH_SLOT, .slot = (uint32_t)slot});
}

static bool is_constant(const struct expr_graph *g, uint32_t i)
{
	return g->nodes[i].kind == EXPR_GRAPH_CONSTANT;
}

/* Operands that are all constant give a constant, be it an error; so does a choice that one
 * constant decides. */
static uint32_t fold(struct expr_graph *g, const struct expr_graph_node *n)
{
	const struct range *value[3] = {&g->nodes[n->a].constant, &g->nodes[n->b].constant,
					&g->nodes[n->c].constant};

	if (n->kind == EXPR_GRAPH_APPLY)
		return is_constant(g, n->a) && is_constant(g, n->b)
			       ? constant_node(g,
					       range_apply((enum expr_op)n->op, value[0], value[1]))
			       : node_of(g, n);
	if (!is_constant(g, n->a))
		return node_of(g, n);
	if (value[0]->kind == RANGE_FAIL)
		return n->a;
	const bool truth = range_truth(value[0]) == RANGE_ALWAYS;
	if (n->kind == EXPR_GRAPH_IF)
		return truth ? n->b : n->c;
	return truth == (n->kind == EXPR_GRAPH_AND) ? n->b : n->a;
}

static uint32_t join_nodes(struct expr_graph *g, enum expr_graph_kind kind, enum expr_op op,
			   const uint32_t operands[3])
{
	const struct expr_graph_node n = {.kind = kind,
					  .op = kind == EXPR_GRAPH_APPLY ? op : 0,
					  .a = operands[0],
					  .b = operands[1],
					  .c = operands[2]};

	for (int i = 0; i < 3; i++) {
		if (operands[i] == INTERN_NONE)
			return INTERN_NONE;
	}
	return fold(g, &n);
}

/* ---- from byte code: its jumps only skip, and nest ---- */

struct choice { /* made by a step, its result not complete before another */
	enum expr_graph_kind kind;
	uint32_t a, b;
	uint16_t d, end;
};

struct tracer {
	struct expr_graph *graph;
	const struct expr *x;
	const struct value *const *constants;
	struct choice *open; /* the innermost last */
	size_t n_open;
	uint32_t temps[EXPR_MAX_TEMPS];
};

static uint32_t operand_node(struct tracer *t, uint16_t code)
{
	const size_t index = code % EXPR_MAX_INDEX;

	switch (code / EXPR_MAX_INDEX) {
	case EXPR_IN_CONSTANT: return constant_node(t->graph, range_of(t->x->constants[index]));
	case EXPR_IN_TEMP: return t->temps[index];
	default: break;
	}
	if (t->constants[index])
		return constant_node(t->graph, range_of(*t->constants[index]));
	return slot_node(t->graph, index);
}

/* Completes the choices that end before step `at`. */
static void close_choices(struct tracer *t, size_t at)
{
	while (t->n_open > 0 && t->open[t->n_open - 1].end == at) {
		const struct choice c = t->open[--t->n_open];
		const uint32_t last = t->temps[c.d];
		const bool is_if = c.kind == EXPR_GRAPH_IF;
		t->temps[c.d] = join_nodes(t->graph, c.kind, EXPR_OP_POS,
					   (uint32_t[]){c.a, is_if ? c.b : last, last});
	}
}

/* The first branch is complete; the second begins. */
static void turn_choice(struct tracer *t, const struct expr_step *jump)
{
	struct choice *c = &t->open[t->n_open - 1];

	c->b = t->temps[c->d];
	c->end = jump->b;
}

static void open_choice(struct tracer *t, enum expr_graph_kind kind, const struct expr_step *s)
{
	const uint32_t a = operand_node(t, s->a);

	t->temps[s->d] = a;
	/* The end of an IF is known from the jump before its second branch. */
	t->open[t->n_open++] = (struct choice){
		.kind = kind, .a = a, .d = s->d, .end = kind == EXPR_GRAPH_IF ? UINT16_MAX : s->b};
}

static void trace_step(struct tracer *t, const struct expr_step *s)
{
	switch (s->op) {
	case EXPR_STEP_MOVE: t->temps[s->d] = operand_node(t, s->a); break;
	case EXPR_STEP_AND: open_choice(t, EXPR_GRAPH_AND, s); break;
	case EXPR_STEP_OR: open_choice(t, EXPR_GRAPH_OR, s); break;
	case EXPR_STEP_UNLESS: open_choice(t, EXPR_GRAPH_IF, s); break;
	case EXPR_STEP_JUMP: turn_choice(t, s); break;
	default: {
		const uint32_t a = operand_node(t, s->a), b = operand_node(t, s->b);
		t->temps[s->d] = join_nodes(t->graph, EXPR_GRAPH_APPLY, (enum expr_op)s->op,
					    (uint32_t[]){a, b, a});
	}
	}
}

enum asc_status expr_graph_add(struct expr_graph *g, const struct expr *x,
			       const struct value *const *constants, uint32_t *root,
			       struct asc_err *e)
{
	struct tracer t = {.graph = g, .x = x, .constants = constants};
	size_t at = 0;

	t.open = calloc(x->n_steps, sizeof *t.open);
	if (!t.open)
		return asc_err_nomem(e);
	for (; x->steps[at].op != EXPR_STEP_RETURN; at++) {
		close_choices(&t, at);
		trace_step(&t, &x->steps[at]);
	}
	close_choices(&t, at);
	*root = operand_node(&t, x->steps[at].a);
	free(t.open);
	return *root == INTERN_NONE ? asc_err_nomem(e) : ASC_OK;
}
