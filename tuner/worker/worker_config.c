#include "tuner/worker/worker_config.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/binding/plan_metadata.h"

/* ---- loading ---- */

static enum asc_status plan_call(struct worker_config *c, const struct config *config, size_t call,
				 const char *metadata, struct asc_err *e)
{
	struct plan *plan = &c->calls[call].plan;

	if (binding_plan(&c->problem->binding, c->implementation, call, config, plan, e) ||
	    plan_complete(metadata, plan, e))
		return call_wrap(c->implementation, call, e);
	return ASC_OK;
}

/* Finds the place of an argument's buffer where that is the configuration's own; NULL: it is not.
 */
static struct device_buffer **find_own(struct worker_config *c, struct worker_call *call, size_t i)
{
	const struct bound_argument *a = &call->plan.arguments[i];
	const bool is_tensor = a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP;

	if (is_tensor && a->tensor >= c->problem->workload->n_tensors)
		return &c->tensors[a->tensor];
	return a->kind == ARG_SCRATCH ? &call->scratch[i] : NULL;
}

/* Allocates scratch buffers, and scratch tensors with the first call that takes them. */
static enum asc_status alloc_scratch(struct worker_config *c, struct worker_call *call,
				     struct asc_err *e)
{
	const struct worker_problem *p = c->problem;
	const size_t n_tensors = p->workload->n_tensors;

	for (size_t i = 0; i < call->plan.n_arguments; i++) {
		const struct bound_argument *a = &call->plan.arguments[i];
		struct device_buffer **own = find_own(c, call, i);
		const bool is_tensor = a->kind != ARG_SCRATCH;

		if (!own || *own)
			continue;
		if (p->ops->alloc(p->device, (size_t)a->bytes, own, e))
			return e->status;
		buffer_label_scratch(
			p->ops, *own,
			is_tensor ? c->implementation->scratch[a->tensor - n_tensors].name : NULL,
			a);
	}
	return ASC_OK;
}

/* True for what the host lacks now, threads or memory: no verdict. Memory of another device, and
 * scratch memory, are what the configuration asks for. */
static bool host_lacks(const struct worker_problem *p, enum asc_status s)
{
	return s == ASC_NOMEM && p->ops->info(p->device)->shares_host;
}

static enum asc_status refuse_call(struct measurement *at, size_t index, enum result_status status,
				   struct asc_err *e)
{
	(void)call_wrap(at->config->implementation, index, e);
	return measurement_refuse(at, status, e);
}

/* Sets the result when the configuration ends here; else leaves it alone. */
static enum asc_status load_call(struct measurement *at, size_t index, const char *artifact,
				 struct asc_err *e)
{
	struct worker_config *c = at->config;
	struct worker_problem *p = c->problem;
	struct worker_call *call = &c->calls[index];
	const struct callable *stated = &c->implementation->calls[index];
	struct device_kernel **kernel = &c->kernels[index];
	const struct plan *plan = &call->plan;
	const char *entry = *plan->entry ? plan->entry : callable_entry(stated, p->ops->name);

	if (device_load(p->ops, p->device, artifact, entry, &call->vendor, kernel, e))
		return e->status == ASC_NOMEM ? e->status
					      : refuse_call(at, index, RESULT_LOAD_FAILED, e);
	c->sequence.n++;
	if (p->ops->match && p->ops->match(p->device, *kernel, plan, e))
		return refuse_call(at, index, RESULT_LOAD_FAILED, e);
	if (alloc_scratch(c, call, e))
		return refuse_call(at, index, RESULT_LAUNCH_FAILED, e);
	if (p->ops->bind(p->device, *kernel, plan, c->tensors, call->scratch, e))
		return host_lacks(p, e->status) ? e->status
						: refuse_call(at, index, RESULT_LAUNCH_FAILED, e);
	return ASC_OK;
}

struct artifact_form { /* one of worker_config_request.artifacts */
	const char *path, *metadata;
};

static enum asc_status read_artifact(const struct json_node *n, struct artifact_form *out,
				     struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"path", JSON_AS_STRING, true, offsetof(struct artifact_form, path), NULL, NULL},
		{"metadata", JSON_AS_STRING, false, offsetof(struct artifact_form, metadata), NULL,
		 NULL},
		{0}};
	static const struct json_spec spec = {"artifact", fields};

	*out = (struct artifact_form){.metadata = ""};
	return json_read_object(n, &spec, out, e);
}

static enum asc_status begin_load(struct worker_config *c,
				  const struct worker_config_request *request,
				  struct config *config, struct asc_err *e)
{
	const char *const *names;

	if (worker_problem_find(c->problem, request->implementation, &c->implementation, &names,
				e) ||
	    config_parse(request->config, names, c->implementation->n_parameters, config, e))
		return e->status;
	if (json_count(request->artifacts) != c->implementation->n_calls)
		return json_fail(request->artifacts, e, "has %zu artifacts, expected %zu",
				 json_count(request->artifacts), c->implementation->n_calls);
	memcpy(c->tensors, c->problem->buffers, sizeof c->problem->buffers);
	c->calls = calloc(c->implementation->n_calls, sizeof *c->calls);
	return c->calls ? ASC_OK : asc_err_nomem(e);
}

/* Loads and binds each call. Sets the result when the configuration ends here; else leaves it
 * alone. */
static enum asc_status load(struct measurement *at, const struct worker_config_request *request,
			    struct asc_err *e)
{
	struct worker_config *c = at->config;
	struct artifact_form artifact;
	struct config config;
	size_t k = 0;

	if (begin_load(c, request, &config, e))
		return e->status;
	for (const struct json_node *n = json_first(request->artifacts);
	     n && at->result->status == RESULT_OK; n = json_next(n), k++) {
		if (read_artifact(n, &artifact, e))
			return e->status;
		if (plan_call(c, &config, k, artifact.metadata, e))
			return e->status == ASC_INPUT
				       ? measurement_refuse(at, RESULT_LAUNCH_FAILED, e)
				       : e->status;
		at->step = c->implementation->n_calls > 1 ? k + 1 : 0;
		if ((at->step && measurement_enter(at, PHASE_LOAD, e)) ||
		    load_call(at, k, artifact.path, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status worker_config_load(struct worker_problem *p,
				   const struct worker_config_request *request, struct race *race,
				   struct worker_config **out, struct result *result,
				   struct asc_err *e)
{
	struct worker_config *c = calloc(1, sizeof *c);
	struct measurement m = {.race = race, .config = c, .result = result};
	int64_t start = clock_now_ns();

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->id = (uint64_t)request->id;
	c->full = request->full;
	c->problem = p;
	c->sequence.kernels = c->kernels;
	result->status = RESULT_OK;
	enum asc_status s = measurement_enter(&m, PHASE_LOAD, e);
	if (!s)
		s = load(&m, request, e);
	c->load_ns = result->spent_ns[PHASE_LOAD] = clock_now_ns() - start;
	if (!s && result->status == RESULT_OK)
		*out = c;
	else
		worker_config_free(c);
	return s;
}

void worker_config_free(struct worker_config *c)
{
	if (!c)
		return;
	const struct worker_problem *p = c->problem;

	for (size_t k = 0; k < c->sequence.n; k++) {
		p->ops->unload(p->device, c->kernels[k]);
		for (size_t i = 0; i < c->calls[k].plan.n_arguments; i++)
			p->ops->release(p->device, c->calls[k].scratch[i]);
	}
	for (size_t i = 0; i < WORKLOAD_MAX_SCRATCH; i++)
		p->ops->release(p->device, c->tensors[p->workload->n_tensors + i]);
	free(c->calls);
	free(c);
}

/* ---- buffers ---- */

size_t worker_config_list_own(const struct worker_config *c,
			      struct device_buffer *out[WORKER_CONFIG_OWN])
{
	size_t n = 0;

	for (size_t i = 0; i < WORKLOAD_MAX_SCRATCH; i++)
		out[n++] = c->tensors[c->problem->workload->n_tensors + i];
	for (size_t k = 0; k < c->sequence.n; k++) {
		const struct worker_call *call = &c->calls[k];

		for (size_t i = 0; i < call->plan.n_arguments; i++)
			out[n++] = call->scratch[i];
		if (call->vendor)
			out[n++] = vendor_workspace(call->vendor);
	}
	return n;
}

enum asc_status worker_config_poison(struct worker_config *c, struct asc_err *e)
{
	const struct worker_problem *p = c->problem;

	for (size_t i = 0; i < WORKLOAD_MAX_SCRATCH; i++) {
		struct device_buffer *b = c->tensors[p->workload->n_tensors + i];

		if (b && p->ops->fill(p->device, b, WORKER_PROBLEM_POISON, e))
			return e->status;
	}
	return worker_problem_poison(c->problem, e);
}

bool worker_config_has_vendor(const struct worker_config *c)
{
	bool any = false;

	for (size_t i = 0; i < c->sequence.n; i++)
		any |= c->calls[i].vendor != NULL;
	return any;
}
