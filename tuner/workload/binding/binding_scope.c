#include "tuner/workload/binding/binding_scope.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/verdict_view.h"
#include "tuner/workload/workload_read.h"

/* ---- what faults of the file hide ---- */

/* True where faults were found in the file: names may mean what is not known. */
static bool has_faults(const struct binding_scope *s)
{
	return !json_is_sound(json_root(s->binding->workload->doc));
}

/* Node of the problem's dimensions, of itself where it has none. */
static const struct json_node *dims_node(const struct problem *p)
{
	const struct json_node *dims = json_find(p->node, "dims");

	return dims ? dims : p->node;
}

/* True where a name that is not found may be one that was not read. */
static bool may_be_hidden(const struct binding_scope *s, const char *call)
{
	const struct json_node *root = json_root(s->binding->workload->doc);
	const struct problem *p = s->binding->problem;

	if (!has_faults(s))
		return false;
	/* A tensor: the list of tensors has to be whole. */
	if (call)
		return !json_find(root, "tensors") || !workload_is_whole(root, "tensors");
	return !p->node || json_is_faulty(dims_node(p)) || !workload_is_whole(p->node, "dims") ||
	       !workload_is_whole(p->node, "dtypes") ||
	       (s->implementation && (!workload_is_whole(s->implementation->node, "parameters") ||
				      !workload_is_whole(s->implementation->node, "tables")));
}

/* True for a formula over a name whose meaning is hidden, not a fact of a device. */
static bool is_hidden(const struct expr *x)
{
	/* Facts are unknown for want of a device, not because of a fault. */
	const char *name = expr_unknown_name(x);

	return name && strncmp(name, "device.", 7) != 0;
}

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
	const struct parameter *p = i ? implementation_find_parameter(i, name) : NULL;
	if (p)
		*out = (struct expr_binding){.kind = EXPR_SLOT,
					     .slot = (size_t)(p - i->parameters)};
	return p != NULL;
}

static bool resolve_dimension(const struct binding_scope *s, const char *name,
			      struct expr_binding *out)
{
	const struct problem *p = s->binding->problem;
	const struct dimension *d = problem_find_dimension(p, name);

	if (!d)
		return false;
	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = d->value};
	/* In a file with faults the dimension's number may not have been read. */
	if (has_faults(s) && !json_is_sound(json_find(json_find(p->node, "dims"), name)))
		out->kind = EXPR_UNKNOWN;
	return true;
}

struct expr_binding binding_of_type(enum dtype t)
{
	static const struct expr_texts types = {"type", dtype_names, dtype_means};
	struct expr_binding b = {.kind = EXPR_CONSTANT, .texts = &types};

	/* binding_scope_init() has made it a value. */
	if (!value_text_find(dtype_name(t), strlen(dtype_name(t)), &b.constant))
		b.kind = EXPR_UNKNOWN;
	return b;
}

static bool resolve_variable(const struct binding_scope *s, const char *name,
			     struct expr_binding *out)
{
	const struct problem *p = s->binding->problem;
	const struct dtype_variable *v = problem_find_variable(p, name);

	if (!v)
		return false;
	if (has_faults(s) && problem_hides_dtype(p, name))
		*out = (struct expr_binding){.kind = EXPR_UNKNOWN};
	else
		*out = binding_of_type(v->dtype);
	return true;
}

static bool resolve_fact(const struct binding_scope *s, const char *name, struct expr_binding *out)
{
	static const char prefix[] = "device.";
	const struct facts *f = &s->binding->facts;
	enum fact id;
	if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
	    !facts_find(name + sizeof prefix - 1, &id))
		return false;
	/* A fact of the right name exists on every device, known or not: a wrong name is still an
	 * error. */
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
	/* Only those bound so far: a tensor cannot have the size of a later one. */
	for (size_t i = 0; i < s->n_tensors; i++)
		if (strcmp(tensors[i].name, name) == 0) {
			*out = (struct expr_binding){
				.kind = s->binding->tensors[i].hidden ? EXPR_UNKNOWN
								      : EXPR_CONSTANT,
				.constant = value_int(s->binding->tensors[i].bytes)};
			return true;
		}
	return false;
}

static bool resolve_verdict(const struct binding_scope *s, const char *name,
			    struct expr_binding *out)
{
	for (size_t i = 0; s->verdicts && i < s->verdicts->n; i++)
		if (strcmp(s->verdicts->list[i].name, name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_TABLE,
						     .table = s->verdicts->list[i].table};
			return true;
		}
	return false;
}

static bool resolve_table(const struct binding_scope *s, const char *name, struct expr_binding *out)
{
	const struct value_table *t = workload_find_table(s->tables_of, name);
	struct expr_table *values = t ? s->binding->tables[t->number] : NULL;

	/* Behind a fault a table's values are not known. */
	*out = (struct expr_binding){.kind = values ? EXPR_TABLE : EXPR_UNKNOWN, .table = values};
	return t != NULL;
}

static bool scope_resolve(const void *user, const char *call, const char *name,
			  struct expr_binding *out)
{
	const struct binding_scope *s = user;
	if (call ? strcmp(call, "sizeof") == 0 && resolve_sizeof(s, name, out)
		 : resolve_parameter(s, name, out) || resolve_dimension(s, name, out) ||
			    resolve_variable(s, name, out) || resolve_fact(s, name, out) ||
			    resolve_verdict(s, name, out) || resolve_table(s, name, out))
		return true;
	/* Names with a point are facts, which no fault of a file hides. */
	if (strchr(name, '.') || !may_be_hidden(s, call))
		return false;
	*out = (struct expr_binding){.kind = EXPR_UNKNOWN};
	return true;
}

/* Resolves each name of a formula that has failed; marks the problem if it lacks a dimension or a
 * dtype variable that other problems have: one fault, wherever the name is used. */
static bool mark_lack(const void *user, const char *call, const char *name,
		      struct expr_binding *out)
{
	const struct binding_scope *s = user;
	const struct workload *w = s->binding->workload;

	if (!scope_resolve(s, call, name, out) && !call && workload_find_meaning(w, name))
		json_mark_faulty(dims_node(s->binding->problem));
	*out = (struct expr_binding){.kind = EXPR_UNKNOWN};
	return true;
}

static const char *const *scope_names(const void *user)
{
	return ((const struct binding_scope *)user)->names;
}

enum asc_status binding_scope_init(struct binding_scope *s, const struct binding *b,
				   const struct implementation *i, struct asc_err *e)
{
	const struct problem *p = b->problem;
	size_t n_parameters = i ? i->n_parameters : 0, n_tables = i ? i->n_tables : 0, n = 0;
	*s = (struct binding_scope){.binding = b,
				    .implementation = i,
				    .tables_of = i,
				    .n_tensors = b->workload->n_tensors,
				    .expr = {scope_resolve, scope_names, s}};
	/* For suggestions; expressions resolve names by functions. */
	s->names = calloc(n_parameters + n_tables + p->n_dims + p->n_dtypes + FACT_COUNT + 1,
			  sizeof *s->names);
	if (!s->names)
		return asc_err_nomem(e);
	for (size_t k = 0; k < n_parameters; k++)
		s->names[n++] = i->parameters[k].name;
	for (size_t k = 0; k < n_tables; k++)
		s->names[n++] = i->tables[k].name;
	for (size_t k = 0; k < p->n_dims; k++)
		s->names[n++] = p->dims[k].name;
	for (size_t k = 0; k < p->n_dtypes; k++)
		s->names[n++] = p->dtypes[k].name;
	for (size_t k = 0; k < FACT_COUNT; k++)
		s->names[n++] = fact_names[k];
	for (size_t k = 0; k < p->n_dtypes; k++) {
		const char *type = dtype_name(p->dtypes[k].dtype);
		struct value text;

		if (!value_text_add(type, strlen(type), &text)) {
			binding_scope_fini(s);
			return asc_err_nomem(e);
		}
	}
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
	if (!s->binding->problem->node)
		return json_fail(f->node, e, "%s", text);
	return json_fail(f->node, e, "%s in problem %s", text, s->binding->problem->name);
}

enum asc_status binding_go_on(const struct binding_scope *s, enum asc_status status)
{
	return json_ends(json_root(s->binding->workload->doc), status) ? status : ASC_OK;
}

enum asc_status binding_compile(const struct binding_scope *s, const struct formula *f,
				struct expr **out, struct asc_err *e)
{
	if (!f->text)
		return asc_err_set(e, ASC_INPUT, "a formula was not read");
	enum asc_status status = expr_compile(f->text, &s->expr, out, e);
	if (status == ASC_OK && is_hidden(*out)) {
		status = asc_err_set(e, ASC_INPUT, "%s was not read", expr_unknown_name(*out));
		expr_free(*out);
		*out = NULL;
		return status;
	}
	if (status == ASC_OK || status == ASC_NOMEM)
		return status;
	/* A copy: its text is printed into the same error. */
	struct asc_err inner = *e;
	status = binding_fail(s, f, e, "%s", inner.text);
	/* One missing dimension is used by many formulas: the problem is marked, and later ones are
	 * silent. */
	if (status == ASC_INPUT && has_faults(s) && s->binding->problem->node) {
		const struct expr_scope marking = {mark_lack, NULL, s};
		struct expr *x = NULL;
		if (expr_compile(f->text, &marking, &x, &inner) == ASC_NOMEM)
			status = asc_err_nomem(e);
		expr_free(x);
	}
	return status;
}

enum asc_status binding_eval(const struct binding_scope *s, const struct formula *f,
			     const struct value *slots, struct value *out, struct asc_err *e)
{
	struct expr *x;
	enum asc_status status = binding_compile(s, f, &x, e);
	if (status != ASC_OK)
		return status;
	enum expr_error error = expr_eval(x, slots, out);
	if (error == EXPR_E_UNKNOWN) {
		status = binding_fail(s, f, e,
				      s->of_problem ? "depends on %s, expected only dimensions"
						    : "needs %s, unknown on this device,",
				      expr_unknown_name(x));
		/* The file is right: it is the device that lacks something. */
		if (status == ASC_INPUT && !s->of_problem)
			status = e->status = ASC_ABSENT;
	} else if (error != EXPR_E_OK) {
		struct buf why = {0};

		expr_print_error(x, error, slots, &why);
		status = binding_fail(s, f, e, "\"%s\" %s", f->text, buf_str(&why));
		buf_fini(&why);
	}
	expr_free(x);
	return status;
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
	/* A real is never rounded: 7 / 2 blocks is a mistake, which "//" corrects. */
	if (v.kind == VALUE_REAL) {
		value_print(v, text, sizeof text);
		return binding_fail(s, f, e,
				    "is the real number %s, expected an integer (\"//\" divides "
				    "integers)",
				    text);
	}
	*out = v.i;
	if (v.i < range.low)
		return binding_fail(s, f, e, "is %lld, expected at least %lld", (long long)v.i,
				    (long long)range.low);
	if (v.i > range.high)
		return binding_fail(s, f, e, "is %lld, expected at most %lld", (long long)v.i,
				    (long long)range.high);
	return ASC_OK;
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
	/* An infinite tolerance would accept everything, a NaN nothing. */
	return isfinite(*out) ? ASC_OK : binding_fail(s, f, e, "is not finite");
}

enum asc_status binding_eval_truth(const struct binding_scope *s, const struct formula *f,
				   bool *out, struct asc_err *e)
{
	struct value v;
	enum asc_status status = binding_eval(s, f, NULL, &v, e);

	if (status != ASC_OK)
		return status;
	if (v.kind == VALUE_TEXT)
		return binding_fail(s, f, e, "is the text \"%s\", expected a condition",
				    value_text_get(v));
	*out = value_truth(v);
	return isnan(value_as_real(v)) ? binding_fail(s, f, e, "is no number, expected a condition")
				       : ASC_OK;
}

enum asc_status binding_check_formula(const struct binding_scope *s, const struct formula *f,
				      struct asc_err *e)
{
	struct expr *x = NULL;
	struct value v;
	const size_t *slots;
	if (!f->text)
		return ASC_OK;
	enum asc_status status = binding_compile(s, f, &x, e);
	/* A formula over parameters or unknown facts has no value yet: names and operators are all
	 * there is to check. */
	if (status == ASC_OK && !s->only_names && !expr_is_unknown(x) && expr_slots(x, &slots) == 0)
		status = binding_eval(s, f, NULL, &v, e);
	expr_free(x);
	return binding_go_on(s, status);
}
