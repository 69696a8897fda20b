#include "tuner/workload/binding/binding_features.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/binding/binding_space.h"
#include "tuner/workload/expr/expr.h"

struct binding_features {
	size_t n, most;
	struct expr *list[];
};

/* Adds a formula, and frees it; NULL: out of memory. Leaves out a sum or product that is too long
 * for one expression. */
static enum asc_status add(struct binding_features *f, const struct binding_scope *s, char *text,
			   struct asc_err *e)
{
	struct value constant;
	struct expr *x = NULL;
	enum asc_status status = text ? ASC_OK : asc_err_nomem(e);

	if (!status && *text && f->n < f->most)
		status = expr_compile(text, &s->expr, &x, e);
	free(text);
	/* A formula that does not compile here is no feature; a search goes on without it. */
	if (!x)
		return status == ASC_NOMEM ? status : ASC_OK;
	/* Nothing can be learnt from a number that is always the same. */
	if (expr_is_constant(x, &constant) || expr_is_unknown(x))
		expr_free(x);
	else
		f->list[f->n++] = x;
	return status;
}

/* Makes the sum of the bytes of the scratch arguments. */
static char *scratch_text(const struct callable *c)
{
	struct buf b = {0};

	/* In parentheses: a sum or a choice stays one operand. */
	for (size_t k = 0; k < c->n_arguments; k++)
		if (c->arguments[k].kind == ARG_SCRATCH)
			buf_print(&b, "%s(%s)", b.len ? " + " : "", c->arguments[k].bytes.text);
	return buf_take(&b);
}

enum asc_status binding_features_new(const struct binding *b, const struct implementation *i,
				     size_t most, struct binding_features **out, struct asc_err *e)
{
	/* The list lies behind the struct, in one block of memory. */
	struct binding_features *f = calloc(1, sizeof *f + most * sizeof(void *));
	struct binding_scope s;

	*out = NULL;
	if (!f)
		return asc_err_nomem(e);
	f->most = most;
	enum asc_status status = binding_scope_init(&s, b, i, e);

	/* The order is that of the numbers: strategies know features by their place. */
	for (size_t k = 0; !status && k < i->n_calls; k++) {
		const struct callable *c = &i->calls[k];
		status = add(f, &s, launch_product_text(c->launch.block), e);
		if (!status)
			status = add(f, &s, launch_product_text(c->launch.grid), e);
		if (!status)
			status = add(f, &s, scratch_text(c), e);
	}
	binding_scope_fini(&s);
	if (status)
		binding_features_free(f);
	else
		*out = f;
	return status;
}

void binding_features_free(struct binding_features *f)
{
	for (size_t k = 0; f && k < f->n; k++)
		expr_free(f->list[k]);
	free(f);
}

size_t binding_features_count(const struct binding_features *f)
{
	return f->n;
}

void binding_features_get(const struct binding_features *f, const struct config *c, double *out)
{
	for (size_t k = 0; k < f->n; k++) {
		struct value v;

		out[k] = expr_eval(f->list[k], c->values, &v) == EXPR_E_OK ? value_as_real(v) : 0;
	}
}
