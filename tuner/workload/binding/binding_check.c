#include "tuner/workload/binding/binding_scope.h"

#include <math.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_files.h"
#include "tuner/workload/workload_read.h"

/* Checks of a workload's formulas without any device: every problem is bound, every formula of
 * every implementation that may cover it compiled, and evaluated when it needs no parameter. */

static enum asc_status formulas_check(const struct binding_scope *s, const struct formula *f,
				      size_t n, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = binding_check_formula(s, &f[i], e);
	return status;
}

static enum asc_status launch_check(const struct binding_scope *s, const struct launch *l,
				    struct asc_err *e)
{
	enum asc_status status = formulas_check(s, l->grid, 3, e);
	if (status == ASC_OK)
		status = formulas_check(s, l->block, 3, e);
	if (status == ASC_OK)
		status = formulas_check(s, l->cluster, 3, e);
	if (status == ASC_OK)
		status = binding_check_formula(s, &l->cooperative, e);
	if (status == ASC_OK)
		status = binding_check_formula(s, &l->shared, e);
	return status != ASC_OK ? status : binding_check_formula(s, &l->threads, e);
}

/* Finds whether a formula, which may be absent, has the same value on every device and in every
 * configuration. */
static enum asc_status is_known(const struct binding_scope *s, const struct formula *f, bool *out,
				struct asc_err *e)
{
	struct expr *x = NULL;
	const size_t *slots;

	*out = true;
	if (!f->text)
		return ASC_OK;
	*out = false;
	if (json_is_faulty(f->node) || binding_compile(s, f, &x, e))
		return json_is_faulty(f->node) ? ASC_OK : e->status;
	*out = !s->only_names && !expr_is_unknown(x) && expr_slots(x, &slots) == 0;
	expr_free(x);
	return ASC_OK;
}

/* Checks a view of a tensor of the problem where no device and no parameter decides it: else that
 * is done at the launch. */
static enum asc_status view_check(const struct binding_scope *s, const struct argument *a,
				  struct asc_err *e)
{
	const struct binding *b = s->binding;
	bool known = true, this_one;

	if (!a->is_view || !json_is_sound(a->node) || a->tensor >= b->workload->n_tensors ||
	    b->tensors[a->tensor].hidden || !b->tensors[a->tensor].present)
		return ASC_OK;
	for (size_t i = 0; i < a->rank + a->n_strides + 1; i++) {
		const struct formula *f = i < a->rank                  ? &a->sizes[i]
					  : i < a->rank + a->n_strides ? &a->strides[i - a->rank]
								       : &a->offset;
		if (is_known(s, f, &this_one, e))
			return e->status;
		known &= this_one;
	}
	struct bound_argument view = {.kind = ARG_TENSOR, .tensor = a->tensor};

	binding_take_tensor(b, a->tensor, s->implementation == NULL, &view);
	return known ? binding_go_on(s, binding_take_view(s, a, NULL, &view, e)) : ASC_OK;
}

static enum asc_status call_check(const struct binding_scope *s, const struct callable *c,
				  struct asc_err *e)
{
	enum asc_status status = launch_check(s, &c->launch, e);
	for (size_t i = 0; i < c->n_arguments && status == ASC_OK; i++) {
		const struct argument *a = &c->arguments[i];
		status = binding_check_formula(s, &a->scalar, e);
		if (status == ASC_OK)
			status = binding_check_formula(s, &a->bytes, e);
		if (status == ASC_OK)
			status = formulas_check(s, a->sizes, a->rank, e);
		if (status == ASC_OK)
			status = formulas_check(s, a->strides, a->n_strides, e);
		if (status == ASC_OK)
			status = binding_check_formula(s, &a->offset, e);
		if (status == ASC_OK)
			status = view_check(s, a, e);
	}
	for (size_t i = 0; i < c->n_constants && status == ASC_OK; i++)
		status = binding_check_formula(s, &c->constants[i].formula, e);
	return status;
}

/* Checks that the value of an integer argument, where no device and no parameter decides it, is one
 * of its type. */
static enum asc_status scalar_check(const struct binding_scope *s, const struct argument *a,
				    struct asc_err *e)
{
	bool known = false;
	int64_t v;

	/* Any number fits a floating type. */
	if (a->kind != ARG_SCALAR || dtype_is_float(a->scalar_type))
		return ASC_OK;
	/* Over parameters or facts the value differs by configuration or device: it is checked at
	 * the launch. */
	enum asc_status status = is_known(s, &a->scalar, &known, e);

	if (status == ASC_OK && known)
		status = binding_eval_int(s, &a->scalar, NULL, binding_type_ranges[a->scalar_type],
					  &v, e);
	return binding_go_on(s, status);
}

static enum asc_status implementation_bind(const struct binding *b, const struct implementation *i,
					   bool only_names, struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, i, e);
	/* A fault in `when` leaves open whether a formula has to have a value here. */
	s.only_names = only_names;
	if (status == ASC_OK)
		status = formulas_check(&s, i->constraints, i->n_constraints, e);
	for (size_t k = 0; k < i->n_memory && status == ASC_OK; k++) {
		const struct memory_use *m = &i->memory[k];
		status = binding_check_formula(&s, &m->bytes, e);
		for (size_t t = 0; t < m->n_tiles && status == ASC_OK; t++)
			status = binding_check_formula(&s, &m->tiles[t].bytes, e);
	}
	for (size_t k = 0; k < i->n_scratch && status == ASC_OK; k++)
		status = formulas_check(&s, i->scratch[k].shape, i->scratch[k].rank, e);
	for (size_t k = 0; k < i->n_calls && status == ASC_OK; k++)
		status = call_check(&s, &i->calls[k], e);
	binding_scope_fini(&s);
	return status;
}

/* Checks the formulas of an implementation for one problem; none where its `when` rules the problem
 * out: there a formula may have no value. Behind a fault of `when` their names are checked. */
static enum asc_status implementation_try(const struct binding *b, const struct implementation *i,
					  struct asc_err *e)
{
	bool holds;
	const enum asc_status s = binding_when(b, i, &holds, e);
	if (json_ends(i->node, s) || (s == ASC_OK && !holds))
		return s;
	return implementation_bind(b, i, s != ASC_OK, e);
}

/* ---- fills: spreads below 0, empty ranges, fewer different numbers than elements ---- */

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
	/* Running sums of lengths below 2^31 are exact. */
	return status == ASC_OK && f->high.text
		       ? binding_eval_int(s, &f->high, NULL, (struct binding_range){low, INT32_MAX},
					  &high, e)
		       : status;
}

/* Counts the slots that are -1: a share of all, rounded to nearest. */
static enum asc_status padding_count(const struct binding_scope *s, size_t tensor, int64_t *out,
				     struct asc_err *e)
{
	const struct formula *f = &s->binding->workload->tensors[tensor].fill.padding;
	const enum dtype type = s->binding->tensors[tensor].dtype;
	double share;

	*out = 0;
	if (!f->text)
		return ASC_OK;
	if (binding_eval_real(s, f, NULL, &share, e))
		return e->status;
	if (!(share >= 0 && share <= 1))
		return binding_fail(s, f, e, "is %g, expected a share of the slots, 0 to 1,",
				    share);
	/* Unsigned types would make 0 of a -1, a slot like any other. */
	if (!dtype_is_float(type) && binding_type_ranges[type].low == 0)
		return binding_fail(s, f, e, "needs a type that has -1, found %s",
				    dtype_name(type));
	*out = llround(share * (double)s->binding->tensors[tensor].count);
	return ASC_OK;
}

enum asc_status binding_padding(const struct binding *b, size_t tensor, int64_t *out,
				struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);

	if (status == ASC_OK)
		status = padding_count(&s, tensor, out, e);
	binding_scope_fini(&s);
	return status;
}

/* Checks how many numbers, 0 and up, there are for a fill of `n` different ones. An integer type
 * has to have all of them: those beyond would be clamped to one. */
static enum asc_status different_check(const struct binding_scope *s, size_t tensor, int64_t n,
				       const struct formula *f, struct asc_err *e)
{
	const enum dtype type = s->binding->tensors[tensor].dtype;
	int64_t numbers;

	if (!f->text)
		return ASC_OK;
	if (at_least(s, f, n, &numbers, e))
		return e->status;
	if (!dtype_is_float(type) && numbers - 1 > binding_type_ranges[type].high)
		return binding_fail(s, f, e, "is %lld, expected at most %lld, the numbers of %s,",
				    (long long)numbers,
				    (long long)binding_type_ranges[type].high + 1,
				    dtype_name(type));
	return ASC_OK;
}

/* Checks that an integer type has all numbers that are counted: those beyond would be clamped. */
static enum asc_status index_check(const struct binding_scope *s, size_t tensor, struct asc_err *e)
{
	const struct fill *f = &s->binding->workload->tensors[tensor].fill;
	const struct bound_tensor *t = &s->binding->tensors[tensor];
	int64_t modulo = INT64_MAX;

	if (at_least(s, &f->modulo, 1, &modulo, e))
		return e->status;
	const int64_t last = (t->count < modulo ? t->count : modulo) - 1;

	if (t->hidden || dtype_is_float(t->dtype) || last <= binding_type_ranges[t->dtype].high)
		return ASC_OK;
	return binding_fail(s, &(struct formula){.node = f->node}, e,
			    "counts to %lld, expected at most %lld, the last number of %s,",
			    (long long)last, (long long)binding_type_ranges[t->dtype].high,
			    dtype_name(t->dtype));
}

static enum asc_status slots_check(const struct binding_scope *s, size_t tensor, struct asc_err *e)
{
	int64_t padding;

	if (padding_count(s, tensor, &padding, e))
		return e->status;
	return different_check(s, tensor, s->binding->tensors[tensor].count - padding,
			       &s->binding->workload->tensors[tensor].fill.slots, e);
}

static enum asc_status values_check(const struct binding_scope *s, const struct fill *f,
				    struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	int64_t i;
	for (size_t k = 0; k < f->n_values && status == ASC_OK; k++)
		status = at_least(s, &f->values[k], INT64_MIN, &i, e);
	return status;
}

/* Checks that there are numbers between the bounds of a tensor's contents. */
static enum asc_status contents_check(const struct binding_scope *s, const struct tensor *t,
				      struct asc_err *e)
{
	double low = -INFINITY, high = INFINITY;

	if ((t->contents.low.text && binding_eval_real(s, &t->contents.low, NULL, &low, e)) ||
	    (t->contents.high.text && binding_eval_real(s, &t->contents.high, NULL, &high, e)))
		return e->status;
	return low < high ? ASC_OK
			  : binding_fail(s, &t->contents.high, e,
					 "is %.17g, expected more than \"low\", %.17g,", high, low);
}

/* Checks that the numbers of a tensor's fill are possible for its size. */
static enum asc_status check_fill(const struct binding_scope *s, size_t tensor, struct asc_err *e)
{
	const struct tensor *t = &s->binding->workload->tensors[tensor];
	const struct fill *f = &t->fill;
	const struct formula *formulas[] = {
		&f->mean,   &f->std,   &f->low,     &f->high,         &f->value,         &f->modulo,
		&f->blocks, &f->slots, &f->padding, &t->contents.low, &t->contents.high, NULL};
	int64_t count = s->binding->tensors[tensor].count;
	double r;
	/* Outputs are poisoned, not filled. */
	if (t->role == ROLE_OUT || !s->binding->tensors[tensor].present)
		return ASC_OK;
	/* Each formula by itself first: a fault in its text comes before one in its value. */
	for (size_t k = 0; formulas[k]; k++)
		if (binding_check_formula(s, formulas[k], e))
			return e->status;
	if (formulas_check(s, f->values, f->n_values, e))
		return e->status;
	if ((!t->contents.node || json_is_sound(t->contents.node)) && contents_check(s, t, e))
		return e->status;
	if (f->node && !json_is_sound(f->node))
		return ASC_OK; /* what the formulas have to be may be unknown */
	/* Both need as many different numbers as elements, and these could not be counted. */
	if (s->binding->tensors[tensor].hidden &&
	    (f->kind == FILL_BLOCK_TABLE || f->kind == FILL_SLOTS))
		return ASC_OK;
	switch (f->kind) {
	case FILL_NORMAL: return normal_check(s, f, e);
	case FILL_UNIFORM: return uniform_check(s, f, e);
	case FILL_CONSTANT: return binding_eval_real(s, &f->value, NULL, &r, e);
	case FILL_INDEX: return index_check(s, tensor, e);
	case FILL_BLOCK_TABLE: return different_check(s, tensor, count, &f->blocks, e);
	case FILL_SLOTS: return slots_check(s, tensor, e);
	case FILL_RAGGED_LENGTHS: return lengths_check(s, f, e);
	case FILL_FUNCTION: return values_check(s, f, e);
	case FILL_FILE: break;
	}
	return ASC_OK;
}

/* Checks what a problem has on one class of device. */
static enum asc_status check_on(const struct workload *w, const struct problem *p,
				const char *device, struct asc_err *e)
{
	struct binding b;
	struct binding_scope s;
	enum asc_status status = binding_init(&b, w, p, device, NULL, e);
	if (status != ASC_OK)
		return status;
	status = binding_scope_init(&s, &b, NULL, e);
	s.of_problem = true;
	for (size_t i = 0; i < w->n_tensors && status == ASC_OK; i++)
		status = binding_go_on(&s, check_fill(&s, i, e));
	if (status == ASC_OK)
		status = binding_check_files(&b, e);
	/* From here on formulas belong to launches, which may read facts: these are unknown without
	 * a device, and only names are checked. */
	s.of_problem = false;
	if (status == ASC_OK)
		status = call_check(&s, &w->reference, e);
	/* A device with a reference of its own does not need this one to compute its problems. */
	for (size_t i = 0; w->n_references_on == 0 && i < w->reference.n_arguments; i++)
		if (status == ASC_OK)
			status = scalar_check(&s, &w->reference.arguments[i], e);
	for (size_t i = 0; i < w->n_references_on && status == ASC_OK; i++)
		status = call_check(&s, &w->references_on[i].call, e);
	for (size_t i = 0; i < w->n_implementations && status == ASC_OK; i++)
		status = implementation_try(&b, &w->implementations[i], e);
	binding_scope_fini(&s);
	binding_fini(&b);
	return status;
}

/* True for a class of device with a tensor that the CPU has not. */
static bool has_own_tensor(const struct workload *w, const char *device)
{
	size_t i = 0;

	while (i < w->n_tensors && (name_list_has(&w->tensors[i].devices, "cpu") ||
				    !name_list_has(&w->tensors[i].devices, device)))
		i++;
	return i < w->n_tensors;
}

enum asc_status binding_check_problem(const struct workload *w, const struct problem *p,
				      struct asc_err *e)
{
	enum asc_status status = check_on(w, p, "cpu", e);

	/* What is the same there has its faults noted once. */
	for (size_t i = 0; workload_devices[i] && status == ASC_OK; i++)
		if (has_own_tensor(w, workload_devices[i]) &&
		    name_list_has(&p->devices, workload_devices[i]))
			status = check_on(w, p, workload_devices[i], e);
	return status;
}

enum asc_status binding_check(const struct workload *w, struct asc_err *e)
{
	static const struct problem none = {.name = ""}; /* where no problem could be read */
	enum asc_status status = ASC_OK;
	/* Names of tensors and facts can be checked without any problem. */
	if (w->n_problems == 0)
		return binding_check_problem(w, &none, e);
	for (size_t i = 0; i < w->n_problems && status == ASC_OK; i++)
		status = binding_check_problem(w, &w->problems[i], e);
	return status;
}
