#include "tuner/workload/expr/expr_tree.h"

#include <math.h>

/* Beyond this, an integer has no exact double. */
static const int64_t exact_int = INT64_C(1) << 53;
static const double two_63 = 9223372036854775808.0;

static bool is_real(struct value v)
{
	return v.kind == VALUE_REAL;
}

/* Truth values are 0 and 1 here. */
static bool are_ints(struct value a, struct value b)
{
	return !is_real(a) && !is_real(b);
}

static enum expr_error give_int(int64_t i, struct value *out)
{
	*out = value_int(i);
	return EXPR_E_OK;
}

static enum expr_error give_real(double r, struct value *out)
{
	*out = value_real(r);
	return EXPR_E_OK;
}

static enum expr_error give_bool(bool b, struct value *out)
{
	*out = value_bool(b);
	return EXPR_E_OK;
}

static enum expr_error apply_add(struct value a, struct value b, struct value *out)
{
	int64_t i;
	if (!are_ints(a, b))
		return give_real(value_as_real(a) + value_as_real(b), out);
	return __builtin_add_overflow(a.i, b.i, &i) ? EXPR_E_OVERFLOW : give_int(i, out);
}

static enum expr_error apply_sub(struct value a, struct value b, struct value *out)
{
	int64_t i;
	if (!are_ints(a, b))
		return give_real(value_as_real(a) - value_as_real(b), out);
	return __builtin_sub_overflow(a.i, b.i, &i) ? EXPR_E_OVERFLOW : give_int(i, out);
}

static enum expr_error apply_mul(struct value a, struct value b, struct value *out)
{
	int64_t i;
	if (!are_ints(a, b))
		return give_real(value_as_real(a) * value_as_real(b), out);
	return __builtin_mul_overflow(a.i, b.i, &i) ? EXPR_E_OVERFLOW : give_int(i, out);
}

static bool fits_double(int64_t i)
{
	return i >= -exact_int && i <= exact_int;
}

/* The quotient of integers is rounded once, as in Python, where both have an exact double; beyond
 * that the wider format rounds the operands less. */
static enum expr_error apply_div(struct value a, struct value b, struct value *out)
{
	if (!value_truth(b))
		return EXPR_E_ZERO;
	/* A significand of 64 bits, as on x86, holds every operand exactly. */
	if (are_ints(a, b) && !(fits_double(a.i) && fits_double(b.i)))
		return give_real((double)((long double)a.i / (long double)b.i), out);
	return give_real(value_as_real(a) / value_as_real(b), out);
}

/* The integer that a quotient nearly is; of two as near the lower one, as in Python. */
static double round_nearly(double quotient)
{
	const double low = floor(quotient);
	return quotient - low > 0.5 ? low + 1 : low;
}

/* Quotient rounded down, and the remainder that goes with it: it has the divisor's sign. */
static double real_floor_div(double a, double b, double *rest)
{
	double mod = fmod(a, b);
	double quotient = (a - mod) / b; /* nearly an integer, if not one already */
	/* fmod's remainder has the sign of `a`; Python's has that of `b`, and so rounds down. */
	if (mod != 0 && (b < 0) != (mod < 0)) {
		mod += b;
		quotient -= 1;
	}
	/* Zeros have signs, which Python keeps. */
	*rest = mod != 0 ? mod : copysign(0, b);
	return quotient != 0 ? round_nearly(quotient) : copysign(0, a / b);
}

static enum expr_error apply_floor_div(struct value a, struct value b, struct value *out)
{
	double rest;
	if (!value_truth(b))
		return EXPR_E_ZERO;
	if (!are_ints(a, b))
		return give_real(real_floor_div(value_as_real(a), value_as_real(b), &rest), out);
	if (b.i == -1) /* INT64_MIN / -1 traps */
		return apply_sub(value_int(0), a, out);
	/* C rounds towards 0: one less where a negative quotient was rounded up. */
	int64_t q = a.i / b.i;
	return give_int(q - (a.i % b.i != 0 && (a.i < 0) != (b.i < 0)), out);
}

static enum expr_error apply_mod(struct value a, struct value b, struct value *out)
{
	double rest;
	if (!value_truth(b))
		return EXPR_E_ZERO;
	if (!are_ints(a, b)) {
		(void)real_floor_div(value_as_real(a), value_as_real(b), &rest);
		return give_real(rest, out);
	}
	/* INT64_MIN % -1 traps as well. */
	int64_t r = b.i == -1 ? 0 : a.i % b.i;
	return give_int(r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r, out);
}

static enum expr_error pow_ints(int64_t base, int64_t exponent, struct value *out)
{
	int64_t i = 1;
	for (;; exponent >>= 1) {
		if ((exponent & 1) && __builtin_mul_overflow(i, base, &i))
			return EXPR_E_OVERFLOW;
		/* Before the base is squared once more: that square is not needed, and may
		 * overflow. */
		if (exponent <= 1)
			return give_int(i, out);
		if (__builtin_mul_overflow(base, base, &base))
			return EXPR_E_OVERFLOW;
	}
}

static enum expr_error apply_pow(struct value a, struct value b, struct value *out)
{
	if (are_ints(a, b) && b.i >= 0)
		return pow_ints(a.i, b.i, out);
	double base = value_as_real(a), exponent = value_as_real(b);
	if (base == 0 && exponent < 0)
		return EXPR_E_ZERO;
	double r = pow(base, exponent);
	/* A number that Python makes complex; here it is an error. */
	if (isnan(r) && !isnan(base) && !isnan(exponent))
		return EXPR_E_POWER;
	if (isinf(r) && isfinite(base) && isfinite(exponent))
		return EXPR_E_OVERFLOW;
	return give_real(r, out);
}

static enum expr_error apply_eq(struct value a, struct value b, struct value *out)
{
	return give_bool(value_equal(a, b), out);
}

static enum expr_error apply_ne(struct value a, struct value b, struct value *out)
{
	return give_bool(!value_equal(a, b), out);
}

static enum expr_error apply_lt(struct value a, struct value b, struct value *out)
{
	return give_bool(value_order(a, b) == -1, out);
}

static enum expr_error apply_le(struct value a, struct value b, struct value *out)
{
	return give_bool(value_order(a, b) <= 0, out);
}

static enum expr_error apply_gt(struct value a, struct value b, struct value *out)
{
	return apply_lt(b, a, out);
}

static enum expr_error apply_ge(struct value a, struct value b, struct value *out)
{
	return apply_le(b, a, out);
}

/* Chooses the first of equal operands, as in Python: min(1, 1.0) is 1. */
static enum expr_error apply_min(struct value a, struct value b, struct value *out)
{
	*out = value_order(b, a) == -1 ? b : a;
	return EXPR_E_OK;
}

static enum expr_error apply_max(struct value a, struct value b, struct value *out)
{
	*out = value_order(b, a) == 1 ? b : a;
	return EXPR_E_OK;
}

/* -(-a // b), without the overflow on the way. */
static enum expr_error apply_ceil_div(struct value a, struct value b, struct value *out)
{
	double rest;
	if (!value_truth(b))
		return EXPR_E_ZERO;
	if (!are_ints(a, b))
		return give_real(-real_floor_div(-value_as_real(a), value_as_real(b), &rest), out);
	/* The quotient of INT64_MIN and -1 overflows, as for //. */
	if (b.i == -1)
		return apply_sub(value_int(0), a, out);
	return give_int(a.i / b.i + (a.i % b.i != 0 && (a.i < 0) == (b.i < 0)), out);
}

static enum expr_error apply_align(struct value a, struct value b, struct value *out)
{
	struct value blocks;
	enum expr_error error = apply_ceil_div(a, b, &blocks);
	return error ? error : apply_mul(blocks, b, out);
}

static enum expr_error apply_neg(struct value a, struct value b, struct value *out)
{
	(void)b;
	return is_real(a) ? give_real(-a.r, out) : apply_sub(value_int(0), a, out);
}

static enum expr_error apply_pos(struct value a, struct value b, struct value *out)
{
	(void)b;
	*out = is_real(a) ? a : value_int(a.i);
	return EXPR_E_OK;
}

static enum expr_error apply_not(struct value a, struct value b, struct value *out)
{
	(void)b;
	return give_bool(!value_truth(a), out);
}

static enum expr_error apply_log2(struct value a, struct value b, struct value *out)
{
	(void)b;
	double r = value_as_real(a);
	return r > 0 ? give_real(log2(r), out) : EXPR_E_DOMAIN;
}

/* A real may be a power of two as well: quotients are reals. */
static enum expr_error apply_is_pow2(struct value a, struct value b, struct value *out)
{
	int exponent;
	(void)b;
	if (is_real(a))
		return give_bool(frexp(a.r, &exponent) == 0.5 && a.r >= 1, out);
	return give_bool(a.i > 0 && (a.i & (a.i - 1)) == 0, out);
}

static enum expr_error apply_abs(struct value a, struct value b, struct value *out)
{
	(void)b;
	if (is_real(a))
		return give_real(fabs(a.r), out);
	/* The negative of INT64_MIN overflows, which apply_neg() finds; a truth value becomes an
	 * integer. */
	return a.i < 0 ? apply_neg(a, a, out) : apply_pos(a, a, out);
}

static enum expr_error apply_int(struct value a, struct value b, struct value *out)
{
	(void)b;
	if (!is_real(a))
		return apply_pos(a, a, out);
	/* Written so that a NaN fails it as well. */
	if (!(a.r >= -two_63 && a.r < two_63))
		return EXPR_E_OVERFLOW;
	return give_int((int64_t)a.r, out);
}

static enum expr_error apply_float(struct value a, struct value b, struct value *out)
{
	(void)b;
	return give_real(value_as_real(a), out);
}

static enum expr_error (*const functions[])(struct value a, struct value b, struct value *out) = {
#define X(id, function) [EXPR_OP_##id] = apply_##function,
	EXPR_OP_LIST(X)
#undef X
};

enum expr_error expr_apply(enum expr_op op, struct value a, struct value b, struct value *out)
{
	/* Texts can be compared for equality and nothing else. */
	if ((a.kind == VALUE_TEXT || b.kind == VALUE_TEXT) && op != EXPR_OP_EQ && op != EXPR_OP_NE)
		return EXPR_E_TEXT;
	return functions[op](a, b, out);
}
