/* Interval arithmetic: what an operation gives on any values inside the ranges lies inside the
 * range that it gives for these, and a range that is not ANY means that nothing fails.
 * covers: expr_range.c */
#include "tuner/workload/expr/expr_range.h"

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/expr/expr_graph.h"

enum { ROUNDS = 400, MAX_VALUES = 5 };

static struct value draw(struct rng *r, uint64_t kind)
{
	static const int64_t edges[] = {INT64_MIN, INT64_MAX, INT64_C(1) << 53, -2, -1, 0, 1, 2};

	switch (kind) {
	case 0: return value_real(((double)rng_below(r, 41) - 20) / 4);
	case 1: return value_int(edges[rng_below(r, 8)]);
	case 2: return value_int((int64_t)rng_below(r, 9) + 1);
	default: return value_int((int64_t)rng_below(r, 60) - 20);
	}
}

static struct range draw_all(struct rng *r, struct value *v, size_t n)
{
	const uint64_t kind = rng_below(r, 4);
	struct range all = {0};

	for (size_t i = 0; i < n; i++) {
		v[i] = draw(r, kind);
		const struct range one = range_of(v[i]);
		all = i == 0 ? one : range_join(&all, &one);
	}
	return all;
}

static bool is_inside(const struct range *r, enum expr_error error, struct value v)
{
	if (r->kind == RANGE_ANY)
		return true;
	if (error || r->kind == RANGE_FAIL)
		return error && r->kind == RANGE_FAIL;
	if (v.kind == VALUE_REAL)
		return r->kind == RANGE_REAL && !(v.r < r->lo.r || v.r > r->hi.r);
	return r->kind == RANGE_INT && v.i >= r->lo.i && v.i <= r->hi.i;
}

static bool truth_holds(const struct range *r, enum expr_error error, struct value v)
{
	const enum range_truth truth = range_truth(r);
	const bool holds = !error && value_truth(v);

	return truth == RANGE_OPEN || holds == (truth == RANGE_ALWAYS);
}

struct tally {
	size_t wrong, narrow; /* results that are not ANY */
};

/* As the one operation of a graph, which knows shorter ways. */
static struct range apply_in_graph(enum expr_op op, const struct range *a, const struct range *b)
{
	struct expr_graph_node nodes[] = {{.kind = EXPR_GRAPH_SLOT, .slot = 0},
					  {.kind = EXPR_GRAPH_SLOT, .slot = 1},
					  {.kind = EXPR_GRAPH_APPLY, .op = op, .a = 0, .b = 1}};
	struct range ranges[3] = {*a, *b};

	expr_graph_apply(&(struct expr_graph){.nodes = nodes, .n = 3}, &(uint32_t){2}, 1, ranges);
	return ranges[2];
}

static void check_pair(enum expr_op op, struct rng *r, struct tally *t)
{
	struct value a[MAX_VALUES], b[MAX_VALUES], v = {0};
	const size_t n = 1 + (size_t)rng_below(r, MAX_VALUES),
		     m = 1 + (size_t)rng_below(r, MAX_VALUES);
	const struct range of_a = draw_all(r, a, n), of_b = draw_all(r, b, m);
	const struct range all[] = {range_apply(op, &of_a, &of_b),
				    apply_in_graph(op, &of_a, &of_b)};

	t->narrow += all[0].kind != RANGE_ANY;
	for (size_t i = 0; i < 2 * n * m; i++) {
		const struct range *given = &all[i % 2];
		const enum expr_error error = expr_apply(op, a[i / 2 % n], b[i / 2 / n], &v);
		t->wrong += !is_inside(given, error, v) || !truth_holds(given, error, v);
	}
	if (n == 1 && m == 1)
		t->wrong += !range_is_known(&all[0]) || !range_is_known(&all[1]);
}

static void check_unary(enum expr_op op, struct rng *r, struct tally *t)
{
	struct value a[MAX_VALUES], v = {0};
	const size_t n = 1 + (size_t)rng_below(r, MAX_VALUES);
	const struct range of_a = draw_all(r, a, n), all = range_apply(op, &of_a, &of_a);

	t->narrow += all.kind != RANGE_ANY;
	for (size_t i = 0; i < n; i++) {
		const enum expr_error error = expr_apply(op, a[i], a[i], &v);
		t->wrong += !is_inside(&all, error, v) || !truth_holds(&all, error, v);
	}
}

/* Of a range there is no value outside: what was drawn may be all there is. */
static void check_choice(struct rng *r, struct tally *t)
{
	struct value c, a, b;
	const struct range of_c = draw_all(r, &c, 1), of_a = draw_all(r, &a, 1),
			   of_b = draw_all(r, &b, 1), open = range_join(&of_c, &of_a);
	const struct range known[] = {range_and(&of_c, &of_a), range_or(&of_c, &of_a),
				      range_if(&of_c, &of_a, &of_b)};
	const struct value want[] = {value_truth(c) ? a : c, value_truth(c) ? c : a,
				     value_truth(c) ? a : b};
	const struct range wide[] = {range_and(&open, &of_a), range_or(&open, &of_a),
				     range_if(&open, &of_a, &of_b)};

	for (int i = 0; i < 3; i++) {
		t->wrong += !range_is_known(&known[i]) || !is_inside(&known[i], EXPR_E_OK, want[i]);
		t->wrong += !is_inside(&wide[i], EXPR_E_OK, want[i]);
		t->narrow += wide[i].kind != RANGE_ANY;
	}
}

int main(void)
{
	static const char *const names[] = {
#define X(id, function) #function,
		EXPR_OP_LIST(X)
#undef X
	};
	const struct range failure = {.kind = RANGE_FAIL}, any = {.kind = RANGE_ANY};
	struct tally choices = {0};
	struct rng r;

	rng_init(&r, 11);
	for (unsigned op = 0; op < EXPR_OP_COUNT; op++) {
		struct tally t = {0};
		for (int i = 0; i < ROUNDS; i++) {
			if (op < EXPR_OP_NEG)
				check_pair((enum expr_op)op, &r, &t);
			else
				check_unary((enum expr_op)op, &r, &t);
		}
		tap_int(t.wrong, 0, "%s", names[op]);
		tap_ok(t.narrow > ROUNDS / 20, "%s: often says something (%zu of %d)", names[op],
		       t.narrow, ROUNDS);
	}
	for (int i = 0; i < ROUNDS; i++)
		check_choice(&r, &choices);
	tap_int(choices.wrong, 0, "and, or, if");
	tap_ok(choices.narrow > ROUNDS, "which often say something");
	tap_ok(range_truth(&failure) == RANGE_NEVER && range_truth(&any) == RANGE_OPEN,
	       "an error does not hold, anything may");
	tap_ok(range_and(&failure, &any).kind == RANGE_FAIL &&
		       range_or(&failure, &any).kind == RANGE_FAIL &&
		       range_apply(EXPR_OP_ADD, &any, &failure).kind == RANGE_FAIL,
	       "an error stays one");
	return tap_done();
}
