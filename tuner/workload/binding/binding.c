#include "tuner/workload/binding/binding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/strides.h"
#include "tuner/workload/binding/binding_digests.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/binding/binding_tables.h"
#include "tuner/workload/workload_read.h"

static const struct binding_range dimension_range = {1, INT64_MAX};
static const struct binding_range any_range = {INT64_MIN, INT64_MAX};
static const struct binding_range place_range = {0, INT64_MAX};
static const int64_t max_bytes = INT64_C(1) << BINDING_MAX_BYTES_LOG2;

/* ---- tensors ---- */

static enum asc_status size_bind(const struct binding_scope *s, const struct tensor *t,
				 struct bound_tensor *out, struct asc_err *e)
{
	bool over = false;
	out->count = 1;
	out->rank = t->rank;
	for (size_t i = 0; i < t->rank; i++) {
		enum asc_status status =
			binding_eval_int(s, &t->shape[i], NULL, dimension_range, &out->shape[i], e);
		if (status != ASC_OK)
			return status;
		/* Noted, not returned: every dimension is evaluated, so that a fault in a later one
		 * is found. */
		over |= __builtin_mul_overflow(out->count, out->shape[i], &out->count);
	}
	over |= __builtin_mul_overflow(out->count, (int64_t)dtype_bytes(out->dtype), &out->bytes);
	const struct json_node *shape = json_find(t->node, "shape");
	/* 2^40 bytes are more than any device has: a size beyond is a mistake in the file. */
	if ((over || out->bytes > max_bytes) && !json_is_faulty(shape))
		return json_fail(shape, e, "the tensor is larger than 2^%d bytes in problem %s",
				 BINDING_MAX_BYTES_LOG2, s->binding->problem->name);
	return ASC_OK;
}

/* Binds where the elements lie; their number and bytes are known. */
static enum asc_status view_bind(const struct binding_scope *s, const struct tensor *t,
				 struct bound_tensor *out, struct asc_err *e)
{
	const int64_t width = (int64_t)dtype_bytes(out->dtype);
	int64_t last = 0, step, contiguous[WORKLOAD_MAX_RANK], offset = 0;
	bool over = false;
	strides_set(out->shape, out->rank, contiguous);
	memcpy(out->strides, contiguous, sizeof contiguous);
	for (size_t i = 0; i < t->n_strides; i++) {
		if (binding_eval_int(s, &t->strides[i], NULL, place_range, &out->strides[i], e))
			return e->status;
		over |= __builtin_mul_overflow(out->shape[i] - 1, out->strides[i], &step);
		over |= __builtin_add_overflow(last, step, &last);
		/* No step is ever made along a dimension of one element. */
		out->scattered |= out->shape[i] > 1 && out->strides[i] != contiguous[i];
	}
	if (t->n_strides == 0)
		last = out->count - 1;
	if (t->offset.text && binding_eval_int(s, &t->offset, NULL, place_range, &offset, e))
		return e->status;
	over |= __builtin_mul_overflow(offset, width, &out->offset_bytes);
	over |= __builtin_add_overflow(last, 1, &last);
	over |= __builtin_mul_overflow(last, width, &out->span_bytes);
	if (over || out->offset_bytes > max_bytes || out->span_bytes > max_bytes)
		return json_fail(t->node, e,
				 "its elements reach over more than 2^%d bytes in problem %s",
				 BINDING_MAX_BYTES_LOG2, s->binding->problem->name);
	/* Their contents would be decided by an order that nobody has stated. */
	if (t->role != ROLE_IN && strides_overlap(out->shape, out->strides, out->rank))
		return json_fail(json_find(t->node, "strides"), e,
				 "two elements of an output may lie in one place in problem %s",
				 s->binding->problem->name);
	return ASC_OK;
}

static enum asc_status tensor_bind(const struct binding_scope *s, const struct tensor *t,
				   struct bound_tensor *out, struct asc_err *e)
{
	const struct problem *p = s->binding->problem;
	const struct json_node *dtype = json_find(t->node, "dtype"),
			       *shape = json_find(t->node, "shape"),
			       *strides = json_find(t->node, "strides");
	out->present = true;
	/* Behind a fault the size has no meaning. */
	if (!shape || !dtype || !json_is_sound(shape) || !json_is_sound(dtype) || !p->node ||
	    (strides && !json_is_sound(strides)) || problem_hides_dtype(p, t->dtype)) {
		/* Names are checked all the same. */
		for (size_t i = 0; i < t->rank; i++)
			if (binding_check_formula(s, &t->shape[i], e))
				return e->status;
		for (size_t i = 0; i < t->n_strides; i++)
			if (binding_check_formula(s, &t->strides[i], e))
				return e->status;
		if (binding_check_formula(s, &t->offset, e) ||
		    binding_check_formula(s, &t->present, e))
			return e->status;
		return asc_err_set(e, ASC_INPUT, "%s has a fault", t->name);
	}
	if (!problem_find_dtype(s->binding->problem, t->dtype, &out->dtype))
		return json_fail(dtype, e, "unknown dtype \"%s\"", t->dtype);
	if (t->present.text && binding_eval_truth(s, &t->present, &out->present, e))
		return e->status;
	out->present = out->present && name_list_has(&t->devices, s->binding->device);
	/* The shape of an absent tensor may have no value. */
	if (!out->present)
		return ASC_OK;
	enum asc_status status = size_bind(s, t, out, e);
	return status == ASC_OK ? view_bind(s, t, out, e) : status;
}

static enum asc_status norm_bind(const struct binding_scope *s, const struct formula *f,
				 double *out, struct asc_err *e)
{
	enum asc_status status = f->text ? binding_eval_real(s, f, NULL, out, e) : ASC_OK;
	if (status == ASC_OK && *out < 0)
		status = binding_fail(s, f, e, "is %g, expected at least 0", *out);
	return binding_go_on(s, status);
}

static enum asc_status tolerance_bind(const struct binding_scope *s, const struct tensor *t,
				      struct bound_tensor *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	for (size_t i = 0; i < t->verify.n_tolerances && status == ASC_OK; i++) {
		const struct tolerance *o = &t->verify.tolerances[i];
		/* Tolerances are stated for each type; the problem has one of them. */
		if (o->dtype != out->dtype)
			continue;
		status = norm_bind(s, &o->atol, &out->atol, e);
		if (status == ASC_OK)
			status = norm_bind(s, &o->rtol, &out->rtol, e);
	}
	return status;
}

/* ---- the problem ---- */

/* Makes each memory as large as all that lies in it; an owner may come behind others. */
static enum asc_status memories_bind(struct binding *b, const struct binding_scope *s,
				     struct asc_err *e)
{
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct tensor *t = &b->workload->tensors[i];
		struct bound_tensor *own = &b->tensors[i], *owner = &b->tensors[t->owner];
		bool shared = true;
		if (own->present && t->shared.text &&
		    binding_go_on(s, binding_eval_truth(s, &t->shared, &shared, e)))
			return e->status;
		if (!shared)
			owner = own;
		own->owner = (size_t)(owner - b->tensors);
		if (!own->present)
			continue;
		if (!owner->present &&
		    binding_go_on(s, json_fail(json_find(t->node, "shares"), e,
					       "is \"%s\", which is absent in problem %s",
					       t->shares, b->problem->name)))
			return e->status;
		if (own->offset_bytes + own->span_bytes > owner->memory_bytes)
			owner->memory_bytes = own->offset_bytes + own->span_bytes;
	}
	return ASC_OK;
}

/* Binds tensors in the file's order: the size of a tensor may be used by those after it. */
static enum asc_status tensors_bind(struct binding *b, struct binding_scope *s, struct asc_err *e)
{
	const struct workload *w = b->workload;
	enum asc_status status = ASC_OK;
	for (s->n_tensors = 0; s->n_tensors < w->n_tensors && status == ASC_OK; s->n_tensors++) {
		struct bound_tensor *out = &b->tensors[s->n_tensors];
		status = tensor_bind(s, &w->tensors[s->n_tensors], out, e);
		/* Later tensors are bound even behind a fault: a formula over this tensor's size
		 * counts as unknown. */
		out->hidden = status != ASC_OK;
		status = binding_go_on(s, status);
	}
	for (size_t i = 0; i < w->n_tensors && status == ASC_OK; i++)
		status = tolerance_bind(s, &w->tensors[i], &b->tensors[i], e);
	return status == ASC_OK ? memories_bind(b, s, e) : status;
}

/* Before the tensors, whose sizes may have no value where a requirement is not met. */
static enum asc_status requirements_check(const struct binding_scope *s, struct asc_err *e)
{
	const struct workload *w = s->binding->workload;
	enum asc_status status = ASC_OK;
	for (size_t i = 0; i < w->n_requirements && status == ASC_OK; i++) {
		bool met = true;
		status = binding_eval_truth(s, &w->requirements[i], &met, e);
		if (status == ASC_OK && !met)
			status = binding_fail(s, &w->requirements[i], e, "\"%s\" does not hold",
					      w->requirements[i].text);
		status = binding_go_on(s, status);
	}
	return status;
}

static enum asc_status problem_bind(struct binding *b, struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	/* Inputs and their key are the same on every device: facts may not decide them. */
	s.of_problem = true;
	s.n_tensors = 0; /* none has a size yet */
	if (status == ASC_OK)
		status = requirements_check(&s, e);
	if (status == ASC_OK)
		status = tensors_bind(b, &s, e);
	if (status == ASC_OK)
		status = norm_bind(&s, &b->workload->flops, &b->flops, e);
	if (status == ASC_OK)
		status = norm_bind(&s, &b->workload->bytes, &b->bytes, e);
	if (status == ASC_OK)
		status = norm_bind(&s, &b->workload->least.bytes, &b->least_bytes, e);
	if (status == ASC_OK)
		status = norm_bind(&s, &b->workload->least.flops, &b->least_flops, e);
	/* A file with faults has no content to make a key of; and files of inputs, which may be
	 * large, are read by whoever needs the key. */
	if (status == ASC_OK && json_is_sound(json_root(b->workload->doc)) && !binding_has_files(b))
		status = binding_seal(b, &s, e);
	binding_scope_fini(&s);
	return status;
}

enum asc_status binding_init(struct binding *b, const struct workload *w, const struct problem *p,
			     const char *device, const struct facts *facts, struct asc_err *e)
{
	*b = (struct binding){.workload = w, .problem = p};
	/* The name from the list: it outlives the caller's text. */
	for (size_t i = 0; workload_devices[i]; i++)
		if (strcmp(workload_devices[i], device) == 0)
			b->device = workload_devices[i];
	if (facts)
		b->facts = *facts;
	if (!b->device)
		return asc_err_set(e, ASC_USAGE,
				   "unknown device class \"%s\", expected cpu, cuda or npu",
				   device);
	b->tensors = calloc(w->n_tensors + 1, sizeof *b->tensors);
	if (!b->tensors)
		return asc_err_nomem(e);
	enum asc_status s = binding_tables_init(b, e);
	if (s == ASC_OK)
		s = problem_bind(b, e);
	if (s != ASC_OK)
		binding_fini(b);
	return s;
}

bool binding_element(const struct binding *b, enum dtype *out)
{
	bool found = false;

	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct bound_tensor *t = &b->tensors[i];

		if (!t->present)
			continue;
		/* Floating types come first, since indices are integers; then the narrower one. */
		const bool is_float = dtype_is_float(t->dtype);
		const bool better = !found || (is_float != dtype_is_float(*out)
						       ? is_float
						       : dtype_bytes(t->dtype) < dtype_bytes(*out));
		if (!better)
			continue;
		*out = t->dtype;
		found = true;
	}
	return found;
}

void binding_fini(struct binding *b)
{
	binding_tables_fini(b);
	free(b->tensors);
	free(b->digests);
	b->tensors = NULL;
	b->digests = NULL;
}

enum asc_status binding_int(const struct binding *b, const struct formula *f, int64_t *out,
			    struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	if (status == ASC_OK)
		status = binding_eval_int(&s, f, NULL, any_range, out, e);
	binding_scope_fini(&s);
	return status;
}

enum asc_status binding_real(const struct binding *b, const struct formula *f, double *out,
			     struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	if (status == ASC_OK)
		status = binding_eval_real(&s, f, NULL, out, e);
	binding_scope_fini(&s);
	return status;
}

/* ---- which implementations apply ---- */

enum asc_status binding_when(const struct binding *b, const struct implementation *i, bool *holds,
			     struct asc_err *e)
{
	struct binding_scope s;
	struct expr *x = NULL;
	*holds = true;
	if (!i->when.text)
		return ASC_OK;
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	if (status == ASC_OK)
		status = binding_compile(&s, &i->when, &x, e);
	/* A condition over an unknown fact holds: not knowing a fact excludes nothing. */
	if (status == ASC_OK && !expr_is_unknown(x)) {
		status = binding_eval_truth(&s, &i->when, holds, e);
		*holds &= status == ASC_OK;
	}
	expr_free(x);
	binding_scope_fini(&s);
	return status;
}

enum asc_status binding_covers(const struct binding *b, const struct implementation *i,
			       bool *covers, char *reason, size_t size, struct asc_err *e)
{
	*covers = false;
	if (!name_list_has(&i->devices, b->device)) {
		snprintf(reason, size, "it is not for %s", b->device);
		return ASC_OK;
	}
	for (size_t k = 0; k < i->n_calls; k++)
		if (!callable_entry(&i->calls[k], b->device)) {
			snprintf(reason, size, "it has no entry for %s", b->device);
			return ASC_OK;
		}
	enum asc_status s = binding_when(b, i, covers, e);
	if (s != ASC_OK)
		return s;
	if (!*covers) {
		snprintf(reason, size, "\"%s\" does not hold for %s", i->when.text,
			 b->problem->name);
		return ASC_OK;
	}
	bool refused = false;
	/* Last, since it evaluates the sizes of buffers: only for an implementation that is meant
	 * for this problem. */
	s = binding_refused(b, i, &refused, reason, size, e);
	*covers = !refused;
	return s;
}
