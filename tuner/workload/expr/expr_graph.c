#include "tuner/workload/expr/expr_graph.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"

void expr_graph_fini(struct expr_graph *g)
{
	for (size_t i = 0; i < g->n_tables; i++)
		expr_table_free(g->tables[i]);
	free(g->tables);
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

enum { KEY_WORDS = 5 };

static void make_key(const struct expr_graph_node *n, uint64_t key[KEY_WORDS])
{
	key[0] = (uint64_t)n->kind << 32 | n->op;
	key[1] = (uint64_t)n->a << 32 | n->b;
	key[2] = (uint64_t)n->c << 32 | n->slot;
	key[3] = (uint64_t)n->constant.value.kind << 32 | n->constant.error;
	memcpy(&key[4], &n->constant.value.i, sizeof key[4]);
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

/* The node's number, or INTERN_NONE when out of memory. */
static uint32_t node_of(struct expr_graph *g, const struct expr_graph_node *n)
{
	struct wanted w = {.graph = g};

	make_key(n, w.key);
	/* A key of words, not the struct, whose padding is undefined. */
	const uint64_t hash = hash_bytes(w.key, sizeof w.key);
	const uint32_t known = intern_find(&g->table, hash, is_wanted, &w);
	if (known != INTERN_NONE)
		return known;
	if (!array_room(&g->nodes, g->n, &g->capacity, sizeof *g->nodes) ||
	    !intern_add(&g->table, hash, (uint32_t)g->n))
		return INTERN_NONE;
	g->nodes[g->n] = *n;
	return (uint32_t)g->n++;
}

uint32_t expr_graph_constant(struct expr_graph *g, struct expr_outcome constant)
{
	/* Equal errors are one node, whatever value was left behind. */
	if (constant.error)
		constant.value = (struct value){0};
	return node_of(
		g, &(struct expr_graph_node){.kind = EXPR_GRAPH_CONSTANT, .constant = constant});
}

uint32_t expr_graph_slot(struct expr_graph *g, size_t slot)
{
	return node_of(g,
		       &(struct expr_graph_node){.kind = EXPR_GRAPH_SLOT, .slot = (uint32_t)slot});
}

uint32_t expr_graph_choose(const struct expr_graph_node *n, const struct expr_outcome *a)
{
	const bool truth = !a->error && value_truth(a->value);

	/* An error of the operand that decides is the outcome. */
	if (a->error)
		return n->a;
	if (n->kind == EXPR_GRAPH_IF)
		return truth ? n->b : n->c;
	return truth == (n->kind == EXPR_GRAPH_AND) ? n->b : n->a;
}

struct expr_outcome expr_outcome_apply(uint32_t op, const struct expr_outcome *a,
				       const struct expr_outcome *b)
{
	struct expr_outcome out = {.error = a->error ? a->error : b->error};

	if (!out.error)
		out.error = expr_apply((enum expr_op)op, a->value, b->value, &out.value);
	return out;
}

uint32_t expr_graph_join(struct expr_graph *g, enum expr_graph_kind kind, enum expr_op op,
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
	/* Folded here and not only in expr_build: copies into another graph may have turned slots
	 * into constants. */
	const struct expr_graph_node *a = &g->nodes[n.a], *b = &g->nodes[n.b];
	if (a->kind != EXPR_GRAPH_CONSTANT)
		return node_of(g, &n);
	if (kind != EXPR_GRAPH_APPLY)
		return expr_graph_choose(&n, &a->constant);
	return b->kind == EXPR_GRAPH_CONSTANT
		       ? expr_graph_constant(g, expr_outcome_apply(op, &a->constant, &b->constant))
		       : node_of(g, &n);
}

/* ---- look-ups in tables: a chain of steps, one for each variable ---- */

/* The table's number; INTERN_NONE when out of memory. */
static uint32_t number_of(struct expr_graph *g, struct expr_table *t)
{
	size_t i = 0;

	while (i < g->n_tables && g->tables[i] != t)
		i++;
	if (i == g->n_tables) {
		struct expr_table **grown = realloc(g->tables, (i + 1) * sizeof(void *));

		if (!grown)
			return INTERN_NONE;
		g->tables = grown;
		g->tables[g->n_tables++] = expr_table_hold(t);
	}
	return (uint32_t)i;
}

static uint32_t step_of(struct expr_graph *g, uint32_t table, size_t column, uint32_t state,
			uint32_t variable)
{
	if (table == INTERN_NONE || state == INTERN_NONE || variable == INTERN_NONE)
		return INTERN_NONE;
	return node_of(g, &(struct expr_graph_node){.kind = EXPR_GRAPH_STEP,
						    .op = table,
						    .a = state,
						    .b = variable,
						    .c = state,
						    .slot = (uint32_t)column});
}

uint32_t expr_graph_look_up(struct expr_graph *g, struct expr_table *t, const uint32_t *operands)
{
	const size_t *slots;
	const size_t n = expr_table_slots(t, &slots);
	const uint32_t table = number_of(g, t);

	if (n == 0)
		return expr_graph_constant(g, expr_table_outcome(t, expr_table_first(t)));
	uint32_t state = operands[0];

	for (size_t i = 0; i < n; i++)
		state = step_of(g, table, i, state, operands[i]);
	return state;
}

bool expr_graph_is_look_up(const struct expr_graph *g, const struct expr_graph_node *n)
{
	const size_t *slots;

	return n->slot + 1 == expr_table_slots(g->tables[n->op], &slots);
}

struct expr_outcome expr_graph_step(const struct expr_graph *g, const struct expr_graph_node *n,
				    const struct expr_outcome *outcomes)
{
	const struct expr_table *t = g->tables[n->op];
	const uint32_t before =
		n->slot == 0 ? expr_table_first(t) : (uint32_t)outcomes[n->a].value.i;
	const uint32_t state = expr_table_next(t, before, n->slot, outcomes[n->b].value);

	return expr_graph_is_look_up(g, n) ? expr_table_outcome(t, state)
					   : (struct expr_outcome){.value = value_int(state)};
}

/* The same over ranges: a state is always known, and a variable that is open leaves it. */
static struct range step_range(const struct expr_graph *g, const struct expr_graph_node *n,
			       const struct range *ranges)
{
	const struct expr_table *t = g->tables[n->op];
	const struct range *variable = &ranges[n->b];
	uint32_t state = n->slot == 0 ? expr_table_first(t) : (uint32_t)ranges[n->a].lo.i;

	if (range_is_known(variable))
		state = expr_table_next(t, state, n->slot, range_value(variable));
	return expr_graph_is_look_up(g, n) ? expr_table_range(t, state) : range_ints(state, state);
}

/* ---- from another graph ---- */

static uint32_t copy_node(struct expr_graph *g, const struct expr_graph *from,
			  const struct expr_graph_node *n, const struct value *const *constants,
			  const uint32_t *copies)
{
	const struct value *constant = constants ? constants[n->slot] : NULL;

	if (n->kind == EXPR_GRAPH_CONSTANT)
		return expr_graph_constant(g, n->constant);
	if (n->kind == EXPR_GRAPH_SLOT)
		return constant ? expr_graph_constant(g, (struct expr_outcome){.value = *constant})
				: expr_graph_slot(g, n->slot);
	if (n->kind == EXPR_GRAPH_STEP)
		return step_of(g, number_of(g, from->tables[n->op]), n->slot, copies[n->a],
			       copies[n->b]);
	return expr_graph_join(g, (enum expr_graph_kind)n->kind, (enum expr_op)n->op,
			       (uint32_t[]){copies[n->a], copies[n->b], copies[n->c]});
}

enum asc_status expr_graph_copy(struct expr_graph *g, const struct expr_graph *from, uint32_t root,
				const struct value *const *constants, uint32_t *copy,
				struct asc_err *e)
{
	bool *needed = calloc(root + 1, sizeof *needed);
	uint32_t *copies = calloc(root + 1, sizeof *copies);

	*copy = INTERN_NONE;
	if (needed && copies) {
		uint32_t operands[3];
		needed[root] = true;
		for (uint32_t i = root + 1; i-- > 0;) {
			const struct expr_graph_node *n = &from->nodes[i];
			for (size_t k = needed[i] ? expr_graph_operands(n, operands) : 0; k-- > 0;)
				needed[operands[k]] = true;
		}
		/* Operands come before their users, so the root is the last node that is needed. */
		for (uint32_t i = 0; i <= root; i++)
			if (needed[i])
				copies[i] = copy_node(g, from, &from->nodes[i], constants, copies);
		*copy = copies[root];
	}
	free(needed);
	free(copies);
	return *copy == INTERN_NONE ? asc_err_nomem(e) : ASC_OK;
}

/* ---- over ranges; the common case without a call: integers that are not negative ---- */

static bool set(int64_t lo, int64_t hi, struct range *out)
{
	out->kind = RANGE_INT;
	out->lo.i = lo;
	out->hi.i = hi;
	return true;
}

static bool multiply(const struct range *a, const struct range *b, struct range *out)
{
	int64_t lo, hi;

	return a->lo.i >= 0 && b->lo.i >= 0 && !__builtin_mul_overflow(a->lo.i, b->lo.i, &lo) &&
	       !__builtin_mul_overflow(a->hi.i, b->hi.i, &hi) && set(lo, hi, out);
}

static bool add(const struct range *a, const struct range *b, struct range *out)
{
	int64_t lo, hi;

	return !__builtin_add_overflow(a->lo.i, b->lo.i, &lo) &&
	       !__builtin_add_overflow(a->hi.i, b->hi.i, &hi) && set(lo, hi, out);
}

static bool remainder_of(const struct range *a, const struct range *b, struct range *out)
{
	/* Single values only: ranges of remainders have more cases, which range_apply() knows. */
	if (a->lo.i < 0 || b->lo.i <= 0 || a->lo.i != a->hi.i || b->lo.i != b->hi.i)
		return false;
	return set(a->lo.i % b->lo.i, a->lo.i % b->lo.i, out);
}

static bool equal(const struct range *a, const struct range *b, struct range *out)
{
	/* Two equal values are surely equal; ranges that overlap are possibly equal. */
	return set(a->lo.i == a->hi.i && b->lo.i == b->hi.i && a->lo.i == b->lo.i,
		   a->lo.i <= b->hi.i && b->lo.i <= a->hi.i, out);
}

/* False: left to range_apply(). */
static bool apply_ints(enum expr_op op, const struct range *a, const struct range *b,
		       struct range *out)
{
	switch (op) {
	case EXPR_OP_ADD: return add(a, b, out);
	case EXPR_OP_MUL: return multiply(a, b, out);
	case EXPR_OP_MOD: return remainder_of(a, b, out);
	case EXPR_OP_EQ: return equal(a, b, out);
	case EXPR_OP_LT: return set(a->hi.i < b->lo.i, a->lo.i < b->hi.i, out);
	case EXPR_OP_LE: return set(a->hi.i <= b->lo.i, a->lo.i <= b->hi.i, out);
	case EXPR_OP_GT: return set(a->lo.i > b->hi.i, a->hi.i > b->lo.i, out);
	case EXPR_OP_GE: return set(a->lo.i >= b->hi.i, a->hi.i >= b->lo.i, out);
	default: return false;
	}
}

struct range range_of_outcome(const struct expr_outcome *o)
{
	return o->error ? (struct range){.kind = RANGE_FAIL} : range_of(o->value);
}

static void apply(const struct expr_graph *g, const struct expr_graph_node *n,
		  const struct range *ranges, struct range *out)
{
	const struct range *a = &ranges[n->a], *b = &ranges[n->b];

	switch (n->kind) {
	case EXPR_GRAPH_APPLY: *out = range_apply((enum expr_op)n->op, a, b); break;
	case EXPR_GRAPH_AND: *out = range_and(a, b); break;
	case EXPR_GRAPH_OR: *out = range_or(a, b); break;
	case EXPR_GRAPH_IF: *out = range_if(a, b, &ranges[n->c]); break;
	case EXPR_GRAPH_STEP: *out = step_range(g, n, ranges); break;
	case EXPR_GRAPH_CONSTANT: *out = range_of_outcome(&n->constant); break;
	default: break;
	}
}

void expr_graph_apply(const struct expr_graph *g, const uint32_t *list, size_t n,
		      struct range *ranges)
{
	for (size_t i = 0; i < n; i++) {
		const struct expr_graph_node *node = &g->nodes[list[i]];
		const struct range *a = &ranges[node->a], *b = &ranges[node->b];
		struct range *out = &ranges[list[i]];
		/* Two ranges of integers are nearly all that spaces compute with: no call for
		 * these. */
		if (node->kind != EXPR_GRAPH_APPLY || a->kind != RANGE_INT ||
		    b->kind != RANGE_INT || !apply_ints((enum expr_op)node->op, a, b, out))
			apply(g, node, ranges, out);
	}
}
