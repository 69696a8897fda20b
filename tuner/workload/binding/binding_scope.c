#include "tuner/workload/binding/binding_scope.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* ---- names ---- */

static const char *const fact_names[] = {
#define X(id, name, meaning) "device." name,
	FACTS_LIST(X)
#undef X
};

static bool resolve_parameter(const struct binding_scope *s, const char *name,
			      struct expr_binding *out)
{
	const struct implementation *i = s->implementation;
	for (size_t k = 0; i && k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = k};
			return true;
		}
	return false;
}

static bool resolve_dimension(const struct binding_scope *s, const char *name,
			      struct expr_binding *out)
{
	const struct problem *p = s->binding->problem;
	for (size_t i = 0; i < p->n_dims; i++)
		if (strcmp(p->dims[i].name, name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_CONSTANT,
						     .constant = p->dims[i].value};
			return true;
		}
	return false;
}

static bool resolve_fact(const struct binding_scope *s, const char *name, struct expr_binding *out)
{
	static const char prefix[] = "device.";
	const struct facts *f = &s->binding->facts;
	enum fact id;
	if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
	    !facts_find(name + sizeof prefix - 1, &id))
		return false;
	*out = f->known[id] && !s->of_problem
		       ? (struct expr_binding){.kind = EXPR_CONSTANT,
					       .constant = value_int(f->value[id])}
		       : (struct expr_binding){.kind = EXPR_UNKNOWN};
	return true;
}

static bool resolve_sizeof(const struct binding_scope *s, const char *name,
			   struct expr_binding *out)
{
	const struct tensor *tensors = s->binding->workload->tensors;
	for (size_t i = 0; i < s->n_tensors; i++)
		if (strcmp(tensors[i].name, name) == 0) {
			*out = (struct expr_binding){
				.kind = EXPR_CONSTANT,
				.constant = value_int(s->binding->tensors[i].bytes)};
			return true;
		}
	return false;
}

static bool scope_resolve(const void *user, const char *call, const char *name,
			  struct expr_binding *out)
{
	const struct binding_scope *s = user;
	if (call)
		return strcmp(call, "sizeof") == 0 && resolve_sizeof(s, name, out);
	return resolve_parameter(s, name, out) || resolve_dimension(s, name, out) ||
	       resolve_fact(s, name, out);
}

static const char *const *scope_names(const void *user)
{
	return ((const struct binding_scope *)user)->names;
}

enum asc_status binding_scope_init(struct binding_scope *s, const struct binding *b,
				   const struct implementation *i, struct asc_err *e)
{
	const struct problem *p = b->problem;
	size_t n_parameters = i ? i->n_parameters : 0, n = 0;
	*s = (struct binding_scope){.binding = b,
				    .implementation = i,
				    .n_tensors = b->workload->n_tensors,
				    .expr = {scope_resolve, scope_names, s}};
	s->names = calloc(n_parameters + p->n_dims + FACT_COUNT + 1, sizeof *s->names);
	if (!s->names)
		return asc_err_nomem(e);
	for (size_t k = 0; k < n_parameters; k++)
		s->names[n++] = i->parameters[k].name;
	for (size_t k = 0; k < p->n_dims; k++)
		s->names[n++] = p->dims[k].name;
	for (size_t k = 0; k < FACT_COUNT; k++)
		s->names[n++] = fact_names[k];
	return ASC_OK;
}

void binding_scope_fini(struct binding_scope *s)
{
	free(s->names);
	s->names = NULL;
}

/* ---- formulas ---- */

enum asc_status binding_fail(const struct binding_scope *s, const struct formula *f,
			     struct asc_err *e, const char *format, ...)
{
	char text[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return json_fail(f->node, e, "%s in problem %s", text, s->binding->problem->name);
}

enum asc_status binding_compile(const struct binding_scope *s, const struct formula *f,
				struct expr **out, struct asc_err *e)
{
	enum asc_status status = expr_compile(f->text, &s->expr, out, e);
	if (status == ASC_OK || status == ASC_NOMEM)
		return status;
	struct asc_err inner = *e;
	return binding_fail(s, f, e, "%s", inner.text);
}

enum asc_status binding_eval(const struct binding_scope *s, const struct formula *f,
			     const struct value *slots, struct value *out, struct asc_err *e)
{
	struct expr *x;
	enum asc_status status = binding_compile(s, f, &x, e);
	if (status != ASC_OK)
		return status;
	enum expr_error error = expr_eval(x, slots, out);
	if (error == EXPR_E_UNKNOWN)
		status = binding_fail(s, f, e,
				      s->of_problem ? "depends on %s, expected only dimensions"
						    : "needs %s, unknown on this device,",
				      expr_unknown_name(x));
	else if (error != EXPR_E_OK)
		status = binding_fail(s, f, e, "\"%s\" %s", f->text, expr_error_text(error));
	expr_free(x);
	return status;
}

static enum asc_status range_check(const struct binding_scope *s, const struct formula *f,
				   int64_t v, struct binding_range range, struct asc_err *e)
{
	if (v < range.low)
		return binding_fail(s, f, e, "is %lld, expected at least %lld", (long long)v,
				    (long long)range.low);
	if (v > range.high)
		return binding_fail(s, f, e, "is %lld, expected at most %lld", (long long)v,
				    (long long)range.high);
	return ASC_OK;
}

enum asc_status binding_eval_int(const struct binding_scope *s, const struct formula *f,
				 const struct value *slots, struct binding_range range,
				 int64_t *out, struct asc_err *e)
{
	struct value v;
	char text[64];
	enum asc_status status = binding_eval(s, f, slots, &v, e);
	if (status != ASC_OK)
		return status;
	if (v.kind == VALUE_TEXT)
		return binding_fail(s, f, e, "is the text \"%s\", expected an integer",
				    value_text_get(v));
	if (v.kind == VALUE_REAL) {
		value_print(v, text, sizeof text);
		return binding_fail(s, f, e,
				    "is the real number %s, expected an integer (\"//\" divides "
				    "integers)",
				    text);
	}
	*out = v.i;
	return range_check(s, f, v.i, range, e);
}

enum asc_status binding_eval_real(const struct binding_scope *s, const struct formula *f,
				  const struct value *slots, double *out, struct asc_err *e)
{
	struct value v;
	enum asc_status status = binding_eval(s, f, slots, &v, e);
	if (status != ASC_OK)
		return status;
	if (v.kind == VALUE_TEXT)
		return binding_fail(s, f, e, "is the text \"%s\", expected a number",
				    value_text_get(v));
	*out = value_as_real(v);
	return isfinite(*out) ? ASC_OK : binding_fail(s, f, e, "is not finite");
}
