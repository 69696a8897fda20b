#include "tuner/run/worker_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/run/inputs.h"

enum { POISON = 0xFF }; /* every floating type reads it as NaN */

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

static enum asc_status fill_input(struct setup *s, size_t i, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	const struct tensor *t = tensor_at(s->problem, i);
	const char *artifact = NULL;
	char what[160];

	if (t->fill.kind == FILL_FUNCTION) {
		const struct json_node *n = json_find(r->fills, t->name);
		if (!n || json_get_string(n, &artifact, e))
			return asc_err_set(e, ASC_PROTOCOL, "no artifact for the fill of tensor %s",
					   t->name);
		(void)snprintf(what, sizeof what, "the fill function of tensor %s", t->name);
		if (r->doing(r->user, what, e))
			return e->status;
	}
	return inputs_fill(&s->problem->binding, i, r->seed, artifact, s->inputs[i], e);
}

static enum asc_status put_input(struct setup *s, size_t i, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	size_t bytes = (size_t)p->binding.tensors[i].bytes;

	s->inputs[i] = malloc(bytes + 1);
	if (!s->inputs[i])
		return asc_err_nomem(e);
	if (fill_input(s, i, e) || p->ops->write(p->device, p->buffers[i], s->inputs[i], bytes, e))
		return e->status;
	if (tensor_at(p, i)->role == ROLE_IN)
		return p->ops->protect(p->device, p->buffers[i], true, e);
	return ASC_OK;
}

static enum asc_status put_tensors(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	size_t largest = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct bound_tensor *t = &p->binding.tensors[i];
		if (!t->present)
			continue;
		if (p->ops->alloc(p->device, (size_t)t->bytes, &p->buffers[i], e))
			return asc_err_wrap(e, "tensor %s", tensor_at(p, i)->name);
		if (tensor_at(p, i)->role != ROLE_OUT && put_input(s, i, e))
			return e->status;
		if (tensor_at(p, i)->role != ROLE_IN && (size_t)t->bytes > largest)
			largest = (size_t)t->bytes;
	}
	p->staging = malloc(largest + 1);
	return p->staging ? ASC_OK : asc_err_nomem(e);
}

/* ---- the reference ---- */

static enum asc_status compute_reference(struct setup *s, const char *path, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;

	if (r->doing(r->user, "the reference", e))
		return e->status;
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
	reference_close(&p->reference);
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		p->ops->release(p->device, p->buffers[i]);
		free(p->host[i]);
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
		if (p->buffers[i] && tensor_at(p, i)->role == ROLE_OUT &&
		    p->ops->fill(p->device, p->buffers[i], POISON, e))
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
