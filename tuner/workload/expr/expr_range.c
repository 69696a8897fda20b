#include "tuner/workload/expr/expr_range.h"

#include <math.h>

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
	if (isnan(a->lo.r) || isnan(b->lo.r))
		return any;
	return reals(fmin(a->lo.r, b->lo.r), fmax(a->hi.r, b->hi.r));
}

enum range_truth range_truth(const struct range *r)
{
	bool zero = false, other = true;

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
	return a->kind == RANGE_ANY ? any : range_join(&zero, b);
}

struct range range_or(const struct range *a, const struct range *b)
{
	const enum range_truth truth = range_truth(a);

	if (a->kind == RANGE_FAIL || truth == RANGE_ALWAYS)
		return *a;
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
