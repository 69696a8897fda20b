#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_scope.h"

/* Checks of fills: spreads below 0, empty ranges, fewer different numbers than elements. */

static enum asc_status at_least(const struct binding_scope *s, const struct formula *f, int64_t low,
				int64_t *out, struct asc_err *e)
{
	return f->text ? binding_eval_int(s, f, NULL, (struct binding_range){low, INT64_MAX}, out,
					  e)
		       : ASC_OK;
}

static enum asc_status normal_check(const struct binding_scope *s, const struct fill *f,
				    struct asc_err *e)
{
	double mean, std;
	enum asc_status status = binding_eval_real(s, &f->mean, NULL, &mean, e);
	if (status == ASC_OK)
		status = binding_eval_real(s, &f->std, NULL, &std, e);
	if (status == ASC_OK && std < 0)
		status = binding_fail(s, &f->std, e, "is %g, expected at least 0", std);
	return status;
}

static enum asc_status uniform_check(const struct binding_scope *s, const struct fill *f,
				     struct asc_err *e)
{
	double low, high;
	enum asc_status status = binding_eval_real(s, &f->low, NULL, &low, e);
	if (status == ASC_OK)
		status = binding_eval_real(s, &f->high, NULL, &high, e);
	if (status == ASC_OK && !(low < high))
		status = binding_fail(s, &f->high, e, "is %g, expected more than \"low\", %g,",
				      high, low);
	return status;
}

static enum asc_status lengths_check(const struct binding_scope *s, const struct fill *f,
				     struct asc_err *e)
{
	int64_t low = 0, high;
	enum asc_status status = at_least(s, &f->low, 0, &low, e);
	return status != ASC_OK ? status : at_least(s, &f->high, low, &high, e);
}

/* Checks each formula by itself. */
static enum asc_status formulas_check(const struct binding_scope *s, const struct fill *f,
				      struct asc_err *e)
{
	const struct formula *all[] = {&f->mean,   &f->std,    &f->low,   &f->high, &f->value,
				       &f->modulo, &f->blocks, &f->slots, NULL};
	for (size_t i = 0; all[i]; i++)
		if (binding_check_formula(s, all[i], e))
			return e->status;
	return ASC_OK;
}

enum asc_status binding_check_fill(const struct binding_scope *s, size_t tensor, struct asc_err *e)
{
	const struct tensor *t = &s->binding->workload->tensors[tensor];
	const struct fill *f = &t->fill;
	int64_t count = s->binding->tensors[tensor].count, i;
	double r;
	if (t->role == ROLE_OUT || !s->binding->tensors[tensor].present)
		return ASC_OK;
	if (formulas_check(s, f, e))
		return e->status;
	if (f->node && !json_is_sound(f->node))
		return ASC_OK; /* what the formulas have to be may be unknown */
	if (s->binding->tensors[tensor].hidden &&
	    (f->kind == FILL_BLOCK_TABLE || f->kind == FILL_SLOTS))
		return ASC_OK;
	switch (f->kind) {
	case FILL_NORMAL: return normal_check(s, f, e);
	case FILL_UNIFORM: return uniform_check(s, f, e);
	case FILL_CONSTANT: return binding_eval_real(s, &f->value, NULL, &r, e);
	case FILL_INDEX: return at_least(s, &f->modulo, 1, &i, e);
	case FILL_BLOCK_TABLE: return at_least(s, &f->blocks, count, &i, e);
	case FILL_SLOTS: return at_least(s, &f->slots, count, &i, e);
	case FILL_RAGGED_LENGTHS: return lengths_check(s, f, e);
	case FILL_FUNCTION: break;
	}
	return ASC_OK;
}
