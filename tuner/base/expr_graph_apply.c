#include "tuner/base/expr_graph.h"

/* ---- the common case without a call: integers that are not negative ---- */

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
	if (a->lo.i < 0 || b->lo.i <= 0 || a->lo.i != a->hi.i || b->lo.i != b->hi.i)
		return false;
	return set(a->lo.i % b->lo.i, a->lo.i % b->lo.i, out);
}

static bool equal(const struct range *a, const struct range *b, struct range *out)
{
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

/* ---- any node ---- */

static void apply(const struct expr_graph_node *n, const struct range *ranges, struct range *out)
{
	const struct range *a = &ranges[n->a], *b = &ranges[n->b];

	switch (n->kind) {
	case EXPR_GRAPH_APPLY: *out = range_apply((enum expr_op)n->op, a, b); break;
	case EXPR_GRAPH_AND: *out = range_and(a, b); break;
	case EXPR_GRAPH_OR: *out = range_or(a, b); break;
	case EXPR_GRAPH_IF: *out = range_if(a, b, &ranges[n->c]); break;
	case EXPR_GRAPH_CONSTANT: *out = n->constant; break;
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
		if (node->kind != EXPR_GRAPH_APPLY || a->kind != RANGE_INT ||
		    b->kind != RANGE_INT || !apply_ints((enum expr_op)node->op, a, b, out))
			apply(node, ranges, out);
	}
}
