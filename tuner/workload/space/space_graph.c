#include "tuner/workload/space/space_graph.h"

#include <stdlib.h>
#include <string.h>

void space_graph_fini(struct space_graph *g)
{
	for (size_t i = 0; g->space && i < g->space->n; i++) {
		free(g->choices[i].picks);
		free(g->choices[i].values);
		free(g->choices[i].rests);
	}
	expr_graph_fini(&g->ops);
	free(g->needs);
	free(g->open);
	free(g->slots);
	free(g->roots);
}

/* ---- roots: both sides of an `and` have to hold, so each is one ---- */

static bool is_truth_value(const struct range *r)
{
	return r->kind == RANGE_FAIL || (r->kind == RANGE_INT && (r->lo.i == 0 || r->lo.i == 1));
}

/* True when the node's value is a truth value rather than a number. 0 and 1 stand for these. */
static bool is_truth(const struct space_graph *g, uint32_t node)
{
	const struct expr_graph_node *n = &g->ops.nodes[node];
	bool truth = true;

	switch (n->kind) {
	case EXPR_GRAPH_CONSTANT: {
		const struct range r = range_of_outcome(&n->constant);
		return is_truth_value(&r);
	}
	case EXPR_GRAPH_APPLY:
		return (n->op >= EXPR_OP_EQ && n->op <= EXPR_OP_GE) || n->op == EXPR_OP_NOT ||
		       n->op == EXPR_OP_IS_POW2;
	case EXPR_GRAPH_STEP: return expr_table_is_truth(g->ops.tables[n->op]);
	case EXPR_GRAPH_SLOT: break;
	/* `and` and `or` give one of their operands, a choice one of its alternatives: each has to
	 * be a truth value. */
	default: return is_truth(g, n->b) && is_truth(g, n->kind == EXPR_GRAPH_IF ? n->c : n->a);
	}
	const struct space_param *p = &g->space->params[n->slot];
	for (size_t i = 0; i < p->n; i++) {
		const struct range r = range_of(p->values[i]);
		truth = truth && is_truth_value(&r);
	}
	return truth;
}

static enum asc_status add_roots(struct space_graph *g, uint32_t node, size_t rule,
				 struct asc_err *e)
{
	const struct expr_graph_node *n = &g->ops.nodes[node];
	enum asc_status st = ASC_OK;

	for (; !st && n->kind == EXPR_GRAPH_AND; n = &g->ops.nodes[node]) {
		node = n->b;
		st = add_roots(g, n->a, rule, e);
	}
	if (st)
		return st;
	struct space_root *grown = realloc(g->roots, (g->n_roots + 1) * sizeof *grown);
	if (!grown)
		return asc_err_nomem(e);
	g->roots = grown;
	g->roots[g->n_roots++] = (struct space_root){node, rule};
	return ASC_OK;
}

static enum asc_status read_rules(struct space_graph *g, const bool *skip, struct asc_err *e)
{
	const struct space *s = g->space;
	const struct value *constants[CONFIG_MAX_PARAMETERS];
	enum asc_status st = ASC_OK;
	uint32_t root;

	/* A parameter of one value is that value: rules become rules on fewer parameters, and
	 * shorter. */
	for (size_t i = 0; i < s->n; i++)
		constants[i] = s->params[i].n == 1 ? &s->params[i].values[0] : NULL;
	for (size_t r = 0; !st && r < s->n_rules; r++) {
		/* A rule over something unknown here does not prune. */
		if ((skip && skip[r]) || expr_is_unknown(s->rules[r].expr))
			continue;
		st = expr_graph_add(&g->ops, s->rules[r].expr, constants, &root, e);
		if (!st && !is_truth(g, root))
			st = asc_err_set(e, ASC_INPUT,
					 "%s: \"%s\" is no truth value, expected a condition that "
					 "is true or false",
					 s->rules[r].origin, expr_text(s->rules[r].expr));
		if (!st)
			st = add_roots(g, root, r, e);
	}
	return st;
}

static enum asc_status note_needs(struct space_graph *g, struct asc_err *e)
{
	g->needs = calloc(g->ops.n + 1, sizeof *g->needs);
	g->open = calloc(g->ops.n + 1, sizeof *g->open);
	g->slots = calloc(g->space->n + 1, sizeof *g->slots);
	if (!g->needs || !g->open || !g->slots)
		return asc_err_nomem(e);
	for (size_t p = 0; p < g->space->n; p++)
		g->slots[p] = INTERN_NONE;
	/* In the order of nodes, in which operands come first: one pass is enough. */
	for (uint32_t i = 0; i < g->ops.n; i++) {
		const struct expr_graph_node *node = &g->ops.nodes[i];
		uint32_t from[3];
		if (node->kind == EXPR_GRAPH_SLOT) {
			g->needs[i] = UINT64_C(1) << node->slot;
			g->slots[node->slot] = i;
		}
		for (size_t k = expr_graph_operands(node, from); k-- > 0;)
			g->needs[i] |= g->needs[from[k]];
	}
	return ASC_OK;
}

/* ---- rules on one parameter shorten its list, rules on none decide at once ---- */

static bool alone_holds(struct space_graph *g, uint64_t needs)
{
	for (uint32_t i = 0; i < g->ops.n; i++) {
		if (g->needs[i] == needs || g->needs[i] == 0)
			expr_graph_apply(&g->ops, &i, 1, g->open);
	}
	for (size_t r = 0; r < g->n_roots; r++) {
		const uint32_t node = g->roots[r].node;
		/* A rule that cannot be evaluated does not hold either. */
		if (g->needs[node] == needs && range_truth(&g->open[node]) != RANGE_ALWAYS)
			return false;
	}
	return true;
}

static enum asc_status choose(struct space_graph *g, size_t param, struct asc_err *e)
{
	const struct space_param *p = &g->space->params[param];
	struct space_choice *c = &g->choices[param];
	bool ruled = false; /* a rule reads this parameter alone */

	for (size_t r = 0; r < g->n_roots && !ruled; r++)
		ruled = g->needs[g->roots[r].node] == UINT64_C(1) << param;
	c->picks = malloc(p->n * sizeof *c->picks);
	c->values = malloc(p->n * sizeof *c->values);
	c->rests = malloc(p->n * sizeof *c->rests);
	if (!c->picks || !c->values || !c->rests)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		const struct range value = range_of(p->values[i]);
		/* The range of the parameter is one value at a time here; space_graph_init() sets
		 * it again. */
		if (ruled)
			g->open[g->slots[param]] = value;
		if (ruled && !alone_holds(g, UINT64_C(1) << param))
			continue;
		c->values[c->n] = value;
		c->picks[c->n++] = (uint16_t)i;
	}
	/* From the last value on, each range is the join of two: the search looks at it to leave
	 * out all values behind one (space_build). */
	for (size_t i = c->n; i-- > 0;)
		c->rests[i] =
			i + 1 < c->n ? range_join(&c->values[i], &c->rests[i + 1]) : c->values[i];
	g->empty = g->empty || c->n == 0;
	return ASC_OK;
}

enum asc_status space_graph_init(struct space_graph *g, const struct space *s, const bool *skip,
				 struct asc_err *e)
{
	*g = (struct space_graph){.space = s};
	enum asc_status st = read_rules(g, skip, e);
	if (!st)
		st = note_needs(g, e);
	if (st)
		return st;
	g->empty = !alone_holds(g, 0);
	for (size_t p = 0; !st && p < s->n; p++)
		st = choose(g, p, e);

	/* Roots on no parameter and on one are decided: `empty` and the choices say how. */
	size_t kept = 0;
	for (size_t r = 0; r < g->n_roots; r++) {
		const uint64_t needs = g->needs[g->roots[r].node];
		if ((needs & (needs - 1)) != 0)
			g->roots[kept++] = g->roots[r];
	}
	g->n_roots = kept;

	/* Ranges come last: they are narrower over the values that are left of each list. */
	for (uint32_t i = 0; !st && !g->empty && i < g->ops.n; i++) {
		const struct expr_graph_node *node = &g->ops.nodes[i];
		if (node->kind == EXPR_GRAPH_SLOT)
			g->open[i] = g->choices[node->slot].rests[0];
		expr_graph_apply(&g->ops, &i, 1, g->open);
	}
	return st;
}
