#include "tuner/base/expr.h"

#include <assert.h>
#include <stdlib.h>

#include "tuner/base/expr_code.h"

/* The common case without a call: integers, no overflow, a positive divisor. Anything else is left
 * to expr_apply(), and *out alone. */
static inline bool apply_ints(unsigned op, int64_t a, int64_t b, struct value *out)
{
	int64_t i;
	enum value_kind kind = VALUE_INT;
	switch (op) {
	case EXPR_OP_ADD:
		if (__builtin_add_overflow(a, b, &i))
			return false;
		break;
	case EXPR_OP_SUB:
		if (__builtin_sub_overflow(a, b, &i))
			return false;
		break;
	case EXPR_OP_MUL:
		if (__builtin_mul_overflow(a, b, &i))
			return false;
		break;
	case EXPR_OP_FLOOR_DIV:
		if (b <= 0)
			return false;
		i = a / b - (a % b < 0);
		break;
	case EXPR_OP_MOD:
		if (b <= 0)
			return false;
		i = a % b;
		i += i < 0 ? b : 0;
		break;
	case EXPR_OP_EQ: i = a == b, kind = VALUE_BOOL; break;
	case EXPR_OP_NE: i = a != b, kind = VALUE_BOOL; break;
	case EXPR_OP_LT: i = a < b, kind = VALUE_BOOL; break;
	case EXPR_OP_LE: i = a <= b, kind = VALUE_BOOL; break;
	case EXPR_OP_GT: i = a > b, kind = VALUE_BOOL; break;
	case EXPR_OP_GE: i = a >= b, kind = VALUE_BOOL; break;
	default: return false;
	}
	out->kind = kind;
	out->i = i;
	return true;
}

static inline bool is_true(const struct value *v)
{
	return v->kind == VALUE_REAL ? v->r != 0 : v->i != 0;
}

/* Member by member, as it was written: one wide load would wait for two narrow stores. The union's
 * bits go along whatever they mean. */
static inline void copy(struct value *to, const struct value *from)
{
	to->kind = from->kind;
	to->i = from->i;
}

/* `where` holds the arrays in the order of enum expr_place. */
static inline const struct value *operand(const struct value *const *where, uint16_t code)
{
	return &where[code / EXPR_MAX_INDEX][code % EXPR_MAX_INDEX];
}

enum expr_error expr_eval(const struct expr *x, const struct value *slots, struct value *out)
{
	struct value temps[EXPR_MAX_TEMPS];
	const struct value *const where[] = {slots, x->constants, temps};
	const struct expr_step *s = x->steps;
	for (;; s++) {
		const struct value *a = operand(where, s->a);
		switch (s->op) {
		case EXPR_STEP_RETURN: copy(out, a); return EXPR_E_OK;
		case EXPR_STEP_UNKNOWN: return EXPR_E_UNKNOWN;
		case EXPR_STEP_MOVE: copy(&temps[s->d], a); break;
		case EXPR_STEP_AND:
			copy(&temps[s->d], a);
			if (!is_true(a))
				s = x->steps + s->b - 1;
			break;
		case EXPR_STEP_OR:
			copy(&temps[s->d], a);
			if (is_true(a))
				s = x->steps + s->b - 1;
			break;
		case EXPR_STEP_UNLESS:
			if (!is_true(a))
				s = x->steps + s->b - 1;
			break;
		case EXPR_STEP_JUMP: s = x->steps + s->b - 1; break;
		default: {
			const struct value *b = operand(where, s->b);
			struct value *d = &temps[s->d];
			if (a->kind == VALUE_INT && b->kind == VALUE_INT &&
			    apply_ints(s->op, a->i, b->i, d))
				break;
			enum expr_error error = expr_apply((enum expr_op)s->op, *a, *b, d);
			if (error)
				return error;
		}
		}
	}
}

const char *expr_error_text(enum expr_error error)
{
	static const char *const texts[] = {
		[EXPR_E_OK] = "has a value",
		[EXPR_E_ZERO] = "divides by zero",
		[EXPR_E_OVERFLOW] = "exceeds 64-bit integers or reals",
		[EXPR_E_DOMAIN] = "takes log2 of a number that is not positive",
		[EXPR_E_POWER] = "takes a fractional power of a negative number",
		[EXPR_E_UNKNOWN] = "needs a value that is unknown here",
	};
	return texts[error];
}

const char *expr_text(const struct expr *x)
{
	return x->text;
}

bool expr_is_unknown(const struct expr *x)
{
	return x->unknown != NULL;
}

const char *expr_unknown_name(const struct expr *x)
{
	return x->unknown;
}

bool expr_is_constant(const struct expr *x, struct value *out)
{
	const struct expr_step *s = x->steps;
	if (s->op != EXPR_STEP_RETURN || s->a / EXPR_MAX_INDEX != EXPR_IN_CONSTANT)
		return false;
	*out = x->constants[s->a % EXPR_MAX_INDEX];
	return true;
}

size_t expr_slots(const struct expr *x, const size_t **slots)
{
	*slots = x->slots;
	return x->n_slots;
}

void expr_free(struct expr *x)
{
	if (!x)
		return;
	free(x->steps);
	free(x->constants);
	free(x->slots);
	free(x->text);
	free(x->unknown);
	free(x);
}

enum asc_status expr_eval_text(const char *text, const struct expr_scope *scope, struct value *out,
			       struct asc_err *e)
{
	struct expr *x = NULL;
	enum asc_status status = expr_compile(text, scope, &x, e);
	if (status)
		return status;
	assert(x->n_slots == 0);
	enum expr_error error = expr_eval(x, NULL, out);
	if (error == EXPR_E_UNKNOWN)
		status = asc_err_set(e, ASC_INPUT, "\"%s\" needs %s, which is unknown here",
				     x->text, x->unknown);
	else if (error)
		status = asc_err_set(e, ASC_INPUT, "\"%s\" %s", x->text, expr_error_text(error));
	expr_free(x);
	return status;
}
