#include "tuner/run/preparation.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/build/pool.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/input_function.h"
#include "tuner/run/inputs.h"
#include "tuner/run/reference.h"

/* What the messages call it. */
static void name_part(const struct preparation *p, size_t i, char *text, size_t size)
{
	if (i == PREPARATION_REFERENCE)
		(void)snprintf(text, size, "%s: the reference", p->workload->path);
	else if (i == PREPARATION_DEVICE_REFERENCE)
		(void)snprintf(text, size, "%s: the device's reference", p->workload->path);
	else
		(void)snprintf(text, size, "%s: the fill function of tensor %s", p->workload->path,
			       p->workload->tensors[i].name);
}

static enum asc_status submit(struct preparation *p, size_t i, const struct callable *call,
			      const struct evaluator_options *o, struct pool *pool,
			      uint64_t first_id, struct asc_err *e)
{
	const struct builder_ops *builder = builder_find(call->builder);
	bool there = i == PREPARATION_DEVICE_REFERENCE;
	const char *device = there ? o->device->name : "cpu";
	const struct build_job job = {.workload = p->workload,
				      .call = call,
				      .binding = o->binding,
				      .plan = &p->plans[i],
				      .device = device,
				      .arch = there ? o->info->arch : p->host.arch,
				      .entry = callable_entry(call, device),
				      .program = o->program};
	char what[512];
	enum asc_status s;

	name_part(p, i, what, sizeof what);
	if (!builder)
		return asc_err_set(e, ASC_ABSENT, "%s: no builder \"%s\"", what, call->builder);
	if (!job.entry)
		return asc_err_set(e, ASC_INPUT, "%s: has no entry for %s", what, device);
	s = pool_submit(pool, first_id + i, builder, &job, e);
	if (s)
		return asc_err_wrap(e, "%s", what);
	p->pending++;
	return ASC_OK;
}

static bool needs_function(const struct evaluator_options *o, size_t i)
{
	const struct tensor *t = &o->binding->workload->tensors[i];

	return o->binding->tensors[i].present && t->role != ROLE_OUT &&
	       t->fill.kind == FILL_FUNCTION;
}

/* Where the device computes the reference itself, the C function is there to check it. */
static enum asc_status submit_references(struct preparation *p, const struct evaluator_options *o,
					 struct pool *pool, uint64_t first_id, struct asc_err *e)
{
	const struct workload *w = p->workload;
	const struct callable *own = workload_reference(w, o->device->name);

	if (reference_plan(o->binding, &p->plans[PREPARATION_REFERENCE], e))
		return asc_err_wrap(e, "%s: the reference", w->path);
	if (submit(p, PREPARATION_REFERENCE, &w->reference, o, pool, first_id, e))
		return e->status;
	if (!own || own == &w->reference)
		return ASC_OK;
	if (binding_plan(o->binding, NULL, NULL, &p->plans[PREPARATION_DEVICE_REFERENCE], e))
		return asc_err_wrap(e, "%s: the device's reference", w->path);
	return submit(p, PREPARATION_DEVICE_REFERENCE, own, o, pool, first_id, e);
}

enum asc_status preparation_begin(struct preparation *p, const struct evaluator_options *o,
				  struct pool *pool, uint64_t first_id, struct asc_err *e)
{
	const struct workload *w = o->binding->workload;
	const struct device_ops *cpu = device_find("cpu");

	p->workload = w;
	if (cpu->inspect(0, &p->host, e))
		return e->status;
	for (size_t i = 0; i < w->n_tensors; i++) {
		if (!needs_function(o, i))
			continue;
		input_function_plan(&w->tensors[i], o->binding->tensors[i].count,
				    inputs_seed(o->seed, w->tensors[i].name), &p->calls[i],
				    &p->plans[i]);
		if (submit(p, i, &p->calls[i], o, pool, first_id, e))
			return e->status;
	}
	if (!w->has_reference)
		return ASC_OK;
	return submit_references(p, o, pool, first_id, e);
}

enum asc_status preparation_take(struct preparation *p, size_t i, struct pool_done *done,
				 struct asc_err *e)
{
	char what[512];

	p->pending--;
	name_part(p, i, what, sizeof what);
	if (!done->ok)
		return asc_err_set(e, done->trouble ? done->trouble : ASC_INPUT, "%s: %s", what,
				   done->reason ? done->reason : "was not built");
	p->artifacts[i] = done->artifact;
	done->artifact = NULL;
	return ASC_OK;
}

void preparation_fini(struct preparation *p)
{
	for (size_t i = 0; i < PREPARATION_PARTS; i++) {
		free(p->artifacts[i]);
		p->artifacts[i] = NULL;
	}
}
