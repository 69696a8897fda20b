/* Kinds of a problem's dimensions: which of them are sizes of arrays. */
#include <stdlib.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/workload_read.h"

/* Resolves dimensions as variables, dtype variables as their texts, and all other names, which are
 * known to exist, as any number. */
static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	const struct problem *p = user;
	const struct dimension *d = call ? NULL : problem_find_dimension(p, name);
	const struct dtype_variable *v = call ? NULL : problem_find_variable(p, name);

	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(1)};
	if (d)
		*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = (size_t)(d - p->dims)};
	if (v)
		*out = binding_of_type(v->dtype);
	return true;
}

/* Marks the dimensions that a formula, which was checked before, names. */
static enum asc_status mark_named(const struct problem *p, const struct formula *f, bool *named,
				  struct asc_err *e)
{
	const struct expr_scope scope = {resolve, NULL, p};
	struct expr *x = NULL;
	const size_t *slots;

	if (expr_compile(f->text, &scope, &x, e))
		return e->status;
	for (size_t n = expr_slots(x, &slots), i = 0; i < n; i++)
		named[slots[i]] = true;
	expr_free(x);
	return ASC_OK;
}

static const char *kind_name(struct value v, bool of_shape)
{
	switch (v.kind) {
	case VALUE_BOOL: return "truth";
	case VALUE_REAL: return "real";
	default: return of_shape ? "size" : "integer";
	}
}

enum asc_status binding_write_kinds(const struct binding *b, struct json_writer *w,
				    struct asc_err *e)
{
	const struct problem *p = b->problem;
	bool *named = calloc(p->n_dims + 1, sizeof *named);
	enum asc_status status = named ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct tensor *t = &b->workload->tensors[i];

		for (size_t k = 0; k < t->rank && status == ASC_OK; k++)
			status = mark_named(p, &t->shape[k], named, e);
	}
	json_write_begin(w, NULL, '{');
	for (size_t i = 0; i < p->n_dims && status == ASC_OK; i++)
		json_write_string(w, p->dims[i].name, kind_name(p->dims[i].value, named[i]));
	json_write_end(w, '}');
	free(named);
	return status;
}
