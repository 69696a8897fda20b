/* Any text as an expression: compiling it with variables and with their values known must give the
 * same.
 * covers: expr_compile.c */
#include "tuner/workload/expr/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

enum { VARIABLES = 5 };
static const char *const variables[VARIABLES + 1] = {"X", "Y", "Z", "R", "B"};

static struct value variable_value(size_t i)
{
	const struct value values[VARIABLES] = {value_int(7), value_int(-3), value_int(0),
						value_real(2.5), value_bool(true)};

	return values[i];
}

/* `user` is whether variables are constants. device.l9 is unknown. */
static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(16)};
	if (call)
		return strcmp(call, "sizeof") == 0 && strcmp(name, "Q") == 0;
	for (size_t i = 0; i < VARIABLES; i++)
		if (strcmp(name, variables[i]) == 0) {
			out->kind = *(const bool *)user ? EXPR_CONSTANT : EXPR_SLOT;
			out->slot = i;
			out->constant = variable_value(i);
			return true;
		}
	out->kind = EXPR_UNKNOWN;
	return strcmp(name, "device.l9") == 0;
}

static const char *const *names(const void *user)
{
	(void)user;
	return variables;
}

static const struct expr_scope with_variables = {resolve, names, &(const bool){false}};
static const struct expr_scope with_constants = {resolve, names, &(const bool){true}};

struct outcome {
	enum asc_status status;
	enum expr_error error;
	struct value value;
};

static struct outcome evaluate(const char *text, const struct expr_scope *scope)
{
	struct value slots[VARIABLES];
	struct outcome out = {0};
	struct expr *x = NULL;
	struct asc_err e;

	for (size_t i = 0; i < VARIABLES; i++)
		slots[i] = variable_value(i);
	out.status = expr_compile(text, scope, &x, &e);
	if (out.status == ASC_OK)
		out.error = expr_eval(x, slots, &out.value);
	expr_free(x);
	return out;
}

static bool is_nan(struct value v)
{
	return v.kind == VALUE_REAL && isnan(v.r);
}

/* Which error comes first depends on what was folded; that there is one does not. */
static bool same(const struct outcome *a, const struct outcome *b)
{
	if (a->status || b->status || a->error || b->error)
		return a->status == b->status && !a->error == !b->error;
	return a->value.kind == b->value.kind &&
	       (value_equal(a->value, b->value) || (is_nan(a->value) && is_nan(b->value)));
}

static void compile_parts(const char *text)
{
	struct expr **parts;
	struct asc_err e;
	size_t n;

	if (expr_compile_conjuncts(text, &with_variables, &parts, &n, &e))
		return;
	for (size_t i = 0; i < n; i++) {
		if (strstr(text, expr_text(parts[i])) == NULL)
			abort();
		expr_free(parts[i]);
	}
	free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	const struct outcome slots = evaluate(text, &with_variables);
	const struct outcome folded = evaluate(text, &with_constants);
	if (!same(&slots, &folded))
		abort();
	compile_parts(text);
	free(text);
	return 0;
}
