#include "tuner/run/worker_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/device/cpu_info.h"
#include "tuner/run/worker_inputs.h"

enum { POISON = 0xFF }; /* in every byte: every floating type reads it as NaN */

/* A problem being set up. */
struct setup {
	struct worker_problem *problem;
	const struct worker_problem_request *request;
	void *inputs[WORKLOAD_MAX_TENSORS]; /* of all inputs, until the reference is known */
};

static const struct tensor *tensor_at(const struct worker_problem *p, size_t i)
{
	return &p->workload->tensors[i];
}

/* ---- the workload ---- */

static enum asc_status open_workload(struct setup *s, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	struct worker_problem *p = s->problem;
	struct device_info info;

	if (workload_open(r->workload, &p->workload, e))
		return e->status;
	if (strcmp(p->workload->hash, r->hash) != 0)
		return asc_err_set(e, ASC_INPUT, "%s was changed while it was being tuned",
				   r->workload);
	const struct problem *problem = workload_find_problem(p->workload, r->problem);
	if (!problem)
		return asc_err_set(e, ASC_PROTOCOL, "no problem %s in %s", r->problem, r->workload);
	if (p->ops->inspect(r->ordinal, &info, e))
		return e->status;
	if (binding_init(&p->binding, p->workload, problem, p->ops->name, &info.facts, e))
		return e->status;
	p->binding.rewrites_off = r->rewrites_off;
	return ASC_OK;
}

/* ---- the inputs ---- */

static enum asc_status reserve(struct setup *s, size_t i, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	size_t bytes = (size_t)p->binding.tensors[i].bytes;

	if (p->ops->alloc(p->device, bytes, &p->buffers[i], e))
		return asc_err_wrap(e, "tensor %s", tensor_at(p, i)->name);
	if (tensor_at(p, i)->role == ROLE_OUT)
		return ASC_OK;
	s->inputs[i] = malloc(bytes + 1);
	return s->inputs[i] ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status put_input(struct setup *s, size_t i, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	size_t bytes = (size_t)p->binding.tensors[i].bytes;

	if (p->ops->write(p->device, p->buffers[i], s->inputs[i], bytes, e))
		return e->status;
	if (tensor_at(p, i)->role == ROLE_IN)
		return p->ops->protect(p->device, p->buffers[i], true, e);
	return ASC_OK;
}

/* What is not there would be looked for for minutes, by swapping, and end the worker. */
static enum asc_status check_memory(const char *what, double bytes, struct asc_err *e)
{
	const double there = (double)cpu_info_free_bytes();
	char need[UNITS_TEXT_SIZE], have[UNITS_TEXT_SIZE];

	if (there <= 0 || bytes <= there)
		return ASC_OK;
	return asc_err_set(e, ASC_LIMIT, "%s takes %s of memory, there are %s", what,
			   units_print_bytes(bytes, need), units_print_bytes(there, have));
}

/* On the device, where that is this machine, and what is written to it. */
static double tensor_bytes(const struct worker_problem *p)
{
	double bytes = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->binding.tensors[i].present)
			bytes += (double)p->binding.tensors[i].bytes *
				 (p->ops->shares_host + (tensor_at(p, i)->role != ROLE_OUT));
	return bytes;
}

static enum asc_status put_tensors(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const struct bound_tensor *t = p->binding.tensors;
	size_t largest = 0;

	if (check_memory("the problem", tensor_bytes(p), e))
		return e->status;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (t[i].present && reserve(s, i, e))
			return e->status;
		if (t[i].present && tensor_at(p, i)->role != ROLE_IN &&
		    (size_t)t[i].bytes > largest)
			largest = (size_t)t[i].bytes;
	}
	if (worker_inputs_make(&p->binding, s->request, s->inputs, e))
		return e->status;
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (s->inputs[i] && put_input(s, i, e))
			return e->status;
	p->staging = malloc(largest + 1);
	return p->staging ? ASC_OK : asc_err_nomem(e);
}

/* ---- the reference ---- */

static enum asc_status compute_reference(struct setup *s, const char *path, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	const struct reference_site site = {.ops = s->problem->ops,
					    .device = s->problem->device,
					    .artifact = r->device_reference,
					    .check = r->reference};

	double bytes = 0;

	for (size_t i = 0; i < s->problem->workload->n_tensors; i++)
		if (s->problem->binding.tensors[i].present)
			bytes += (double)s->problem->binding.tensors[i].count * sizeof(double);
	if (check_memory("the reference", bytes, e))
		return e->status;
	if (r->doing(r->user, "the reference", e))
		return e->status;
	if (r->device_reference)
		return reference_compute_on(path, &s->problem->binding, &site, s->inputs, e);
	return reference_compute(path, &s->problem->binding, r->reference, s->inputs, e);
}

static enum asc_status put_reference(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	char *path;
	bool found;

	if (!s->request->reference)
		return ASC_OK;
	path = reference_path(s->request->cache, &p->binding, s->request->seed);
	if (!path)
		return asc_err_nomem(e);
	enum asc_status status = reference_open(path, &p->binding, &p->reference, &found, e);
	if (!status && !found) {
		status = compute_reference(s, path, e);
		if (!status)
			status = reference_open(path, &p->binding, &p->reference, &found, e);
		if (!status && !found)
			status = asc_err_set(e, ASC_IO, "%s was changed", path);
	}
	free(path);
	return status;
}

/* ---- where the device compares ---- */

void worker_problem_drop_expected(struct worker_problem *p)
{
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		p->ops->release(p->device, p->expected[i]);
		p->expected[i] = NULL;
	}
}

/* Distributions are compared as a whole, and doubles do not hold integers of 64 bits. */
static bool compares_there(const struct worker_problem *p, size_t i)
{
	const enum dtype type = p->binding.tensors[i].dtype;
	const enum verify_kind kind = p->workload->tensors[i].verify.kind;

	return kind == VERIFY_ALLCLOSE ||
	       (kind == VERIFY_EXACT && type != DTYPE_I64 && type != DTYPE_U64);
}

/* What the tensor's type makes of the reference, as doubles; heap, NULL when out of memory. */
static double *round_reference(struct worker_problem *p, size_t i)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	double *rounded = malloc((size_t)t->count * sizeof *rounded + 1);

	if (!rounded)
		return NULL;
	dtype_from_double(t->dtype, p->reference.tensors[i], p->staging, (size_t)t->count);
	dtype_to_double(t->dtype, p->staging, rounded, (size_t)t->count);
	return rounded;
}

static enum asc_status expect(struct worker_problem *p, size_t i, struct asc_err *e)
{
	const size_t bytes = (size_t)p->binding.tensors[i].count * sizeof(double);
	bool exact = p->workload->tensors[i].verify.kind == VERIFY_EXACT;
	double *rounded = exact ? round_reference(p, i) : NULL;

	if (exact && !rounded)
		return asc_err_nomem(e);
	enum asc_status s = p->ops->alloc(p->device, bytes, &p->expected[i], e);
	if (!s)
		s = p->ops->write(p->device, p->expected[i],
				  exact ? rounded : p->reference.tensors[i], bytes, e);
	if (!s)
		s = p->ops->protect(p->device, p->expected[i], true, e);
	free(rounded);
	return s;
}

/* Where its memory has no room for them, outputs are read and compared here. */
static void put_expected(struct worker_problem *p)
{
	struct asc_err e;

	for (size_t i = 0; p->ops->compare && i < p->workload->n_tensors; i++) {
		if (!p->reference.tensors[i] || !compares_there(p, i))
			continue;
		if (expect(p, i, &e)) {
			worker_problem_drop_expected(p);
			return;
		}
	}
}

/* ---- poison ---- */

/* Those of a floating type are NaN, but where the reference is; numbers of others have all bits
 * turned over, and the highest one not where that would be within the tolerance. */
static void spoil_element(const struct bound_tensor *t, double reference, unsigned char *element)
{
	const size_t bytes = dtype_bytes(t->dtype);
	double poison;

	if (dtype_is_float(t->dtype)) {
		memset(element, isnan(reference) ? 0 : POISON, bytes);
		return;
	}
	if (t->dtype == DTYPE_BOOL) {
		*element = !*element;
		return;
	}
	for (size_t i = 0; i < bytes; i++)
		element[i] ^= 0xFF;
	dtype_to_double(t->dtype, element, &poison, 1);
	if (fabs(poison - reference) <= t->atol + t->rtol * fabs(reference))
		element[bytes - 1] ^= 0x80;
}

static bool has_nan(const double *values, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (isnan(values[i]))
			return true;
	return false;
}

static enum asc_status put_poison(struct worker_problem *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct bound_tensor *t = &p->binding.tensors[i];
		const double *reference = p->reference.tensors[i];

		if (!reference || tensor_at(p, i)->role != ROLE_OUT ||
		    (dtype_is_float(t->dtype) && !has_nan(reference, t->count)))
			continue;
		unsigned char *poison = malloc((size_t)t->bytes + 1);
		if (!poison)
			return asc_err_nomem(e);
		p->poison[i] = poison;
		dtype_from_double(t->dtype, reference, poison, (size_t)t->count);
		for (int64_t k = 0; k < t->count; k++)
			spoil_element(t, reference[k], poison + (size_t)k * dtype_bytes(t->dtype));
	}
	return ASC_OK;
}

static enum asc_status poison_output(struct worker_problem *p, size_t i, struct asc_err *e)
{
	if (p->poison[i])
		return p->ops->write(p->device, p->buffers[i], p->poison[i],
				     (size_t)p->binding.tensors[i].bytes, e);
	return p->ops->fill(p->device, p->buffers[i], POISON, e);
}

bool worker_problem_is_poison(struct worker_problem *p, size_t i, int64_t at)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	const size_t bytes = dtype_bytes(t->dtype), offset = (size_t)at * bytes;
	unsigned char expected[sizeof(double)];
	struct asc_err e;

	if (tensor_at(p, i)->role != ROLE_OUT ||
	    p->ops->read(p->device, p->buffers[i], p->staging, (size_t)t->bytes, &e))
		return false;
	memset(expected, POISON, bytes);
	if (p->poison[i])
		memcpy(expected, (unsigned char *)p->poison[i] + offset, bytes);
	return memcmp((unsigned char *)p->staging + offset, expected, bytes) == 0;
}

/* ---- all together ---- */

/* Inout tensors are needed again and again; other inputs are on the device now. */
static void keep_inputs(struct setup *s)
{
	struct worker_problem *p = s->problem;

	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		if (!s->inputs[i])
			continue;
		if (tensor_at(p, i)->role == ROLE_INOUT)
			p->host[i] = s->inputs[i];
		else
			free(s->inputs[i]);
	}
}

enum asc_status worker_problem_new(const struct device_ops *ops, struct device *d,
				   const struct worker_problem_request *request,
				   struct worker_problem **out, struct asc_err *e)
{
	struct worker_problem *p = calloc(1, sizeof *p);
	struct setup s = {.problem = p, .request = request};

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	p->ops = ops;
	p->device = d;
	enum asc_status status = open_workload(&s, e);
	if (!status)
		status = put_tensors(&s, e);
	if (!status)
		status = put_reference(&s, e);
	if (!status)
		status = put_poison(p, e);
	if (!status)
		put_expected(p);
	keep_inputs(&s);
	if (status)
		worker_problem_free(p);
	else
		*out = p;
	return status;
}

void worker_problem_free(struct worker_problem *p)
{
	if (!p)
		return;
	worker_problem_drop_expected(p);
	reference_close(&p->reference);
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		p->ops->release(p->device, p->buffers[i]);
		free(p->host[i]);
		free(p->poison[i]);
	}
	free(p->staging);
	binding_fini(&p->binding);
	workload_close(p->workload);
	free(p);
}

/* ---- between launches ---- */

enum asc_status worker_problem_poison(struct worker_problem *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->buffers[i] && tensor_at(p, i)->role == ROLE_OUT && poison_output(p, i, e))
			return e->status;
	return worker_problem_restore(p, e);
}

enum asc_status worker_problem_restore(struct worker_problem *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->host[i] && p->ops->write(p->device, p->buffers[i], p->host[i],
						(size_t)p->binding.tensors[i].bytes, e))
			return e->status;
	return ASC_OK;
}

bool worker_problem_has_inout(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->host[i])
			return true;
	return false;
}

const char *worker_problem_damaged(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->buffers[i] && !p->ops->intact(p->device, p->buffers[i]))
			return tensor_at(p, i)->name;
	return NULL;
}

const char *worker_problem_falsified(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct device_buffer *b = p->expected[i];
		if (b && (!p->ops->intact(p->device, b) ||
			  (p->ops->unchanged && !p->ops->unchanged(p->device, b))))
			return tensor_at(p, i)->name;
	}
	return NULL;
}

const char *worker_problem_changed(const struct worker_problem *p)
{
	for (size_t i = 0; p->ops->unchanged && i < p->workload->n_tensors; i++)
		if (p->buffers[i] && !p->ops->unchanged(p->device, p->buffers[i]))
			return tensor_at(p, i)->name;
	return NULL;
}

enum asc_status worker_problem_find(struct worker_problem *p, const char *name,
				    const struct implementation **out, const char *const **names,
				    struct asc_err *e)
{
	const struct implementation *i = p->last.implementation;

	if (!i || strcmp(i->name, name) != 0) {
		i = workload_find_implementation(p->workload, name);
		if (!i)
			return asc_err_set(e, ASC_PROTOCOL, "no implementation %s", name);
		for (size_t k = 0; k < i->n_parameters; k++)
			p->last.names[k] = i->parameters[k].name;
		p->last.names[i->n_parameters] = NULL;
		p->last.implementation = i;
	}
	*out = i;
	*names = p->last.names;
	return ASC_OK;
}
