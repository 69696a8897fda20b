#include "tuner/workload/expr/expr_range.h"

#include <math.h>

/* Ranges of operations. range_apply() goes the first way that is sound:
 *
 * 1. An operand that surely fails makes the whole fail; one that may be anything, anything.
 * 2. Operands of one value each: the operation itself, by expr_apply().
 * 3. Texts, and ranges with infinite ends: anything. Only exact values of these are worth a rule.
 * 4. The operation's rule (`rules`). Most rules look at the corners of the box of operands
 *    (apply_corners), where an operation that rises or falls in each operand has its extremes. A
 *    rule gives up (any) where an operation may fail within the box, or where rounding may break
 *    its order.
 *
 * A range that is too wide costs tries while a space is made; one that is too narrow would lose
 * valid configurations. So in doubt a rule gives up. */

static const struct range any = {.kind = RANGE_ANY}, failure = {.kind = RANGE_FAIL};

struct range range_ints(int64_t lo, int64_t hi)
{
	return (struct range){.kind = RANGE_INT, .lo.i = lo, .hi.i = hi};
}

static struct range reals(double lo, double hi)
{
	return isnan(lo) || isnan(hi) || lo > hi
		       ? any
		       : (struct range){.kind = RANGE_REAL, .lo.r = lo, .hi.r = hi};
}

struct range range_of(struct value v)
{
	if (v.kind == VALUE_REAL)
		return (struct range){.kind = RANGE_REAL, .lo.r = v.r, .hi.r = v.r};
	if (v.kind == VALUE_TEXT)
		return (struct range){.kind = RANGE_TEXT, .lo.i = v.i, .hi.i = v.i};
	return range_ints(v.i, v.i);
}

bool range_is_known(const struct range *r)
{
	/* Ends are compared as bits, reals too: 0 and -0 are two values to a division. */
	return r->kind == RANGE_FAIL || (r->kind != RANGE_ANY && r->lo.i == r->hi.i);
}

struct range range_join(const struct range *a, const struct range *b)
{
	if (a->kind == RANGE_TEXT && b->kind == RANGE_TEXT && a->lo.i == b->lo.i)
		return *a;
	if (a->kind != b->kind || a->kind > RANGE_REAL)
		return any;
	if (a->kind == RANGE_INT)
		return range_ints(a->lo.i < b->lo.i ? a->lo.i : b->lo.i,
				  a->hi.i > b->hi.i ? a->hi.i : b->hi.i);
	/* A NaN has no place between two ends. */
	if (isnan(a->lo.r) || isnan(b->lo.r))
		return any;
	return reals(fmin(a->lo.r, b->lo.r), fmax(a->hi.r, b->hi.r));
}

enum range_truth range_truth(const struct range *r)
{
	bool zero = false, other = true;

	/* No text is empty. */
	if (r->kind == RANGE_TEXT)
		return RANGE_ALWAYS;
	if (r->kind == RANGE_INT) {
		zero = r->lo.i <= 0 && r->hi.i >= 0;
		other = r->lo.i != 0 || r->hi.i != 0;
	} else if (r->kind == RANGE_REAL) {
		zero = r->lo.r <= 0 && r->hi.r >= 0;
		other = r->lo.r != 0 || r->hi.r != 0; /* a NaN is not 0 */
	} else {
		return r->kind == RANGE_FAIL ? RANGE_NEVER : RANGE_OPEN;
	}
	if (!other)
		return RANGE_NEVER;
	return zero ? RANGE_OPEN : RANGE_ALWAYS;
}

/* ---- what chooses between its operands ---- */

struct range range_and(const struct range *a, const struct range *b)
{
	const enum range_truth truth = range_truth(a);
	const struct range zero = {.kind = a->kind};

	if (truth == RANGE_NEVER)
		return *a;
	if (truth == RANGE_ALWAYS)
		return *b;
	/* `and` gives its first operand where that is 0, else the second. */
	return a->kind == RANGE_ANY ? any : range_join(&zero, b);
}

struct range range_or(const struct range *a, const struct range *b)
{
	const enum range_truth truth = range_truth(a);

	if (a->kind == RANGE_FAIL || truth == RANGE_ALWAYS)
		return *a;
	/* `or` gives the first where it is not 0; its whole range is an upper bound. */
	return truth == RANGE_NEVER ? *b : range_join(a, b);
}

struct range range_if(const struct range *condition, const struct range *then,
		      const struct range *otherwise)
{
	const enum range_truth truth = range_truth(condition);

	if (condition->kind == RANGE_FAIL)
		return failure;
	if (truth == RANGE_OPEN)
		return condition->kind == RANGE_ANY ? any : range_join(then, otherwise);
	return truth == RANGE_ALWAYS ? *then : *otherwise;
}

/* ---- what computes with its operands ---- */

static struct value value_of(const struct range *r, union range_end end)
{
	if (r->kind == RANGE_TEXT)
		return (struct value){.kind = VALUE_TEXT, .i = end.i};
	return r->kind == RANGE_REAL ? value_real(end.r) : value_int(end.i);
}

struct value range_value(const struct range *r)
{
	return value_of(r, r->lo);
}

/* ---- operations on the corners of a box ---- */

/* Range of an operation that rises or falls in each operand as long as the other stays: rounding
 * keeps order, so the extremes lie in the corners, and overflow shows there. */
static struct range apply_corners(enum expr_op op, const struct range *a, const struct range *b)
{
	struct range all = failure;

	for (int corner = 0; corner < 4; corner++) {
		struct value v;
		/* A corner that fails leaves open what the others do: an error is not in any
		 * range. */
		if (expr_apply(op, value_of(a, corner & 1 ? a->hi : a->lo),
			       value_of(b, corner & 2 ? b->hi : b->lo), &v) != EXPR_E_OK)
			return any;
		const struct range one = range_of(v);
		all = corner == 0 ? one : range_join(&all, &one);
	}
	/* An infinite end may be less than infinite times nothing, which is no number. */
	if (all.kind == RANGE_REAL && (!isfinite(all.lo.r) || !isfinite(all.hi.r)))
		return any;
	return all;
}

static bool both_ints(const struct range *a, const struct range *b)
{
	return a->kind == RANGE_INT && b->kind == RANGE_INT;
}

static bool is_positive(const struct range *r)
{
	return r->kind == RANGE_INT ? r->lo.i > 0 : r->lo.r > 0;
}

static bool is_negative(const struct range *r)
{
	return r->kind == RANGE_INT ? r->hi.i < 0 : r->hi.r < 0;
}

static bool is_exact_real(const struct range *r)
{
	const int64_t exact = INT64_C(1) << 53;

	return r->kind == RANGE_REAL || (r->lo.i >= -exact && r->hi.i <= exact);
}

static struct range apply_divide(enum expr_op op, const struct range *a, const struct range *b)
{
	/* Quotients of larger integers are rounded twice. */
	if (op == EXPR_OP_DIV && !(is_exact_real(a) && is_exact_real(b)))
		return any;
	return is_positive(b) || is_negative(b) ? apply_corners(op, a, b) : any;
}

/* Widens the range for reals, whose quotient's last bit and rounding down need not agree. */
static struct range apply_divide_ints(enum expr_op op, const struct range *a, const struct range *b)
{
	return both_ints(a, b) ? apply_divide(op, a, b) : any;
}

/* Rises with what is aligned, not with the alignment. */
static struct range apply_align(enum expr_op op, const struct range *a, const struct range *b)
{
	return range_is_known(b) ? apply_divide_ints(op, a, b) : any;
}

static struct range apply_mod(enum expr_op op, const struct range *a, const struct range *b)
{
	(void)op;
	if (!both_ints(a, b) || b->lo.i <= 0)
		return any;
	/* Smaller than every divisor: the remainder is the number itself. */
	if (a->lo.i >= 0 && a->hi.i < b->lo.i)
		return *a;
	return range_ints(0, a->lo.i >= 0 && a->hi.i < b->hi.i ? a->hi.i : b->hi.i - 1);
}

static struct range apply_pow(enum expr_op op, const struct range *a, const struct range *b)
{
	/* Powers of 0 and of negative numbers neither rise nor fall. */
	return both_ints(a, b) && a->lo.i >= 1 && b->lo.i >= 0 ? apply_corners(op, a, b) : any;
}

static struct range apply_min_max(enum expr_op op, const struct range *a, const struct range *b)
{
	/* The result of an integer and a real may be either kind. */
	return a->kind == b->kind ? apply_corners(op, a, b) : any;
}

static struct range apply_abs(enum expr_op op, const struct range *a, const struct range *b)
{
	const struct range zero =
		a->kind == RANGE_INT ? range_ints(0, 0) : (struct range){.kind = RANGE_REAL};
	/* The absolute value falls up to 0 and rises from there: a range around 0 has 0 as its
	 * least. */
	const struct range ends = apply_corners(op, a, b);

	return is_positive(a) || is_negative(a) ? ends : range_join(&ends, &zero);
}

static struct range apply_truth(enum expr_op op, const struct range *a, const struct range *b)
{
	const enum range_truth truth = range_truth(a);

	(void)b;
	if (op != EXPR_OP_NOT || truth == RANGE_OPEN)
		return range_ints(0, 1);
	return range_ints(truth == RANGE_NEVER, truth == RANGE_NEVER);
}

static struct range apply_any(enum expr_op op, const struct range *a, const struct range *b)
{
	(void)op, (void)a, (void)b;
	return any;
}

/* ---- comparisons ---- */

static bool holds(enum expr_op op, struct value a, struct value b)
{
	struct value v;

	return expr_apply(op, a, b, &v) == EXPR_E_OK && value_truth(v);
}

static bool is_finite(const struct range *r)
{
	return r->kind == RANGE_INT || (isfinite(r->lo.r) && isfinite(r->hi.r));
}

/* a OP b for an OP that is LT or LE, which holds most where a is least and b is most. */
static struct range apply_less(enum expr_op op, const struct range *a, const struct range *b)
{
	/* A NaN has no order, and nothing is known of what lies beyond an infinite end. */
	if (!is_finite(a) || !is_finite(b))
		return range_ints(0, 1);
	return range_ints(holds(op, value_of(a, a->hi), value_of(b, b->lo)),
			  holds(op, value_of(a, a->lo), value_of(b, b->hi)));
}

static struct range apply_compare(enum expr_op op, const struct range *a, const struct range *b)
{
	if (op == EXPR_OP_GT || op == EXPR_OP_GE)
		return apply_less(op == EXPR_OP_GT ? EXPR_OP_LT : EXPR_OP_LE, b, a);
	return apply_less(op, a, b);
}

static struct range apply_equal(enum expr_op op, const struct range *a, const struct range *b)
{
	/* Apart where one lies below the other; overlapping ranges may have equal values or not. */
	const struct range below = apply_less(EXPR_OP_LT, a, b);
	const struct range above = apply_less(EXPR_OP_LT, b, a);
	const bool apart = below.lo.i == 1 || above.lo.i == 1;

	if (!apart)
		return range_ints(0, 1);
	return range_ints(op == EXPR_OP_NE, op == EXPR_OP_NE);
}

static struct range (*const rules[EXPR_OP_COUNT])(enum expr_op op, const struct range *a,
						  const struct range *b) = {
	[EXPR_OP_ADD] = apply_corners,
	[EXPR_OP_SUB] = apply_corners,
	[EXPR_OP_MUL] = apply_corners,
	[EXPR_OP_DIV] = apply_divide,
	[EXPR_OP_FLOOR_DIV] = apply_divide_ints,
	[EXPR_OP_MOD] = apply_mod,
	[EXPR_OP_POW] = apply_pow,
	[EXPR_OP_MIN] = apply_min_max,
	[EXPR_OP_MAX] = apply_min_max,
	[EXPR_OP_CEIL_DIV] = apply_divide_ints,
	[EXPR_OP_ALIGN] = apply_align,
	[EXPR_OP_EQ] = apply_equal,
	[EXPR_OP_NE] = apply_equal,
	[EXPR_OP_LT] = apply_compare,
	[EXPR_OP_LE] = apply_compare,
	[EXPR_OP_GT] = apply_compare,
	[EXPR_OP_GE] = apply_compare,
	[EXPR_OP_NEG] = apply_corners,
	[EXPR_OP_POS] = apply_corners,
	[EXPR_OP_NOT] = apply_truth,
	[EXPR_OP_LOG2] = apply_any, /* the last bits of logarithms need not rise */
	[EXPR_OP_IS_POW2] = apply_truth,
	[EXPR_OP_ABS] = apply_abs,
	[EXPR_OP_INT] = apply_corners,
	[EXPR_OP_FLOAT] = apply_corners,
};

struct range range_apply(enum expr_op op, const struct range *a, const struct range *b)
{
	if (a->kind == RANGE_FAIL || b->kind == RANGE_FAIL)
		return failure;
	if (a->kind == RANGE_ANY || b->kind == RANGE_ANY)
		return any;
	if (range_is_known(a) && range_is_known(b)) {
		struct value v;
		const enum expr_error error =
			expr_apply(op, value_of(a, a->lo), value_of(b, b->lo), &v);
		return error ? failure : range_of(v);
	}
	if (a->kind == RANGE_TEXT || b->kind == RANGE_TEXT || !is_finite(a) || !is_finite(b))
		return any;
	return rules[op](op, a, b);
}
