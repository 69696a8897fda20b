#include "tuner/worker/worker_config.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/binding/plan_metadata.h"

/* ---- loading ---- */

/* True for what the host lacks now, threads or memory: no verdict. Memory of another device, and
 * scratch memory, are what the configuration asks for. */
static bool host_lacks(const struct worker_problem *p, enum asc_status s)
{
	return s == ASC_NOMEM && p->ops->info(p->device)->shares_host;
}

/* Allocates the buffers that are the configuration's own: scratch buffers of the call, and scratch
 * tensors of the implementation with the first call that takes them. Each is labelled, for the
 * report of a kernel that dies beside it. */
static enum asc_status alloc_scratch(struct worker_config *c, struct worker_call *call,
				     struct asc_err *e)
{
	const struct worker_problem *p = c->problem;
	const size_t n_tensors = p->workload->n_tensors;

	for (size_t i = 0; i < call->plan.n_arguments; i++) {
		const struct bound_argument *a = &call->plan.arguments[i];
		const bool is_tensor = (a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) &&
				       a->tensor >= n_tensors;
		struct device_buffer **own = is_tensor ? &c->tensors[a->tensor] : &call->scratch[i];

		if ((!is_tensor && a->kind != ARG_SCRATCH) || *own)
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

static enum asc_status refuse_call(struct measurement *m, size_t index, enum result_status status,
				   struct asc_err *e)
{
	(void)call_wrap(m->config->implementation, index, e);
	return measurement_refuse(m, status, e);
}

static bool warms(const struct worker_call *call)
{
	return call->vendor && vendor_is_warm(call->vendor);
}

/* Binds the arguments of a call to where its tensors lie now. A function that makes calls until it
 * is warm, or that is made anew of tensors that have moved, does so in the phase of compilers,
 * which it may run, and under their time limit; behind that the phase of before goes on. */
static enum asc_status bind_call(struct measurement *m, size_t index, struct asc_err *e)
{
	struct worker_config *c = m->config;
	const struct worker_problem *p = c->problem;
	struct worker_call *call = &c->calls[index];
	const enum phase phase = m->result->phase;

	if ((warms(call) && measurement_enter(m, PHASE_BUILD, e)) ||
	    p->ops->bind(p->device, c->kernels[index], &call->plan, c->tensors, call->scratch, e))
		return e->status;
	return warms(call) ? measurement_enter(m, phase, e) : ASC_OK;
}

/* Loads a call and binds its arguments. Sets the result when the configuration ends here; else
 * leaves it alone. */
static enum asc_status load_call(struct measurement *m, size_t index, struct asc_err *e)
{
	struct worker_config *c = m->config;
	struct worker_problem *p = c->problem;
	struct worker_call *call = &c->calls[index];
	const struct callable *stated = &c->implementation->calls[index];
	struct device_kernel **kernel = &c->kernels[index];
	const struct plan *plan = &call->plan;
	const char *entry = *plan->entry ? plan->entry : callable_entry(stated, p->ops->name);

	if (device_load(p->ops, p->device, call->artifact, entry, &call->vendor, kernel, e))
		return e->status == ASC_NOMEM ? e->status
					      : refuse_call(m, index, RESULT_LOAD_FAILED, e);
	c->sequence.n++; /* from here on worker_config_free() unloads it */
	if (p->ops->match && p->ops->match(p->device, *kernel, plan, e))
		return refuse_call(m, index, RESULT_LOAD_FAILED, e);
	/* Scratch memory only now: a kernel that cannot be loaded needs none. */
	if (alloc_scratch(c, call, e))
		return refuse_call(m, index, RESULT_LAUNCH_FAILED, e);
	const int64_t start = clock_now_ns();
	const enum asc_status s = bind_call(m, index, e);

	if (warms(call))
		m->result->spent_ns[PHASE_BUILD] = c->warm_ns += clock_now_ns() - start;
	if (s)
		return host_lacks(p, s) ? s : refuse_call(m, index, RESULT_LAUNCH_FAILED, e);
	return ASC_OK;
}

/* Loads all calls, in the order in which they are launched: the plan of each is the workload's,
 * completed by the metadata that the builder has left with the artifact. Of several calls each is
 * announced, so that one that hangs in the driver is known by its number. Sets the result when the
 * configuration ends here; else leaves it alone. */
static enum asc_status load(struct measurement *m, const struct worker_config_request *request,
			    struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"path", JSON_AS_STRING, true, offsetof(struct worker_call, artifact), NULL, NULL},
		{"metadata", JSON_AS_STRING, false, offsetof(struct worker_call, metadata), NULL,
		 NULL},
		{0}};
	static const struct json_spec spec = {"artifact", fields};
	struct worker_config *c = m->config;
	struct worker_problem *p = c->problem;
	const struct worker_side *side = NULL;
	const struct binding *b = &p->binding;
	const char *const *names;
	struct config config;
	size_t k = 0;

	if (request->side.workload && worker_side_find(p, &request->side, &side, e))
		return e->status == ASC_INPUT ? measurement_refuse(m, RESULT_LOAD_FAILED, e)
					      : e->status;
	if (side)
		b = &side->binding;
	if (worker_problem_find(p, b->workload, request->implementation, &c->implementation, &names,
				e) ||
	    config_parse(request->config, names, c->implementation->n_parameters, &config, e))
		return e->status;
	const size_t n_calls = c->implementation->n_calls;
	struct buf key = {0};

	config_key(&config, names, &key);
	c->key = buf_take(&key);
	if (!c->key)
		return asc_err_nomem(e);
	if (json_count(request->artifacts) != n_calls)
		return json_fail(request->artifacts, e, "has %zu artifacts, expected %zu",
				 json_count(request->artifacts), n_calls);
	memcpy(c->tensors, p->buffers, sizeof p->buffers);
	c->calls = calloc(n_calls, sizeof *c->calls);
	if (!c->calls)
		return asc_err_nomem(e);
	for (const struct json_node *n = json_first(request->artifacts);
	     n && m->result->status == RESULT_OK; n = json_next(n), k++) {
		struct worker_call *call = &c->calls[k];

		call->metadata = "";
		if (json_read_object(n, &spec, call, e))
			return e->status;
		if (binding_plan(b, c->implementation, k, &config, &call->plan, e) ||
		    plan_complete(call->metadata, &call->plan, e))
			return e->status == ASC_INPUT ? refuse_call(m, k, RESULT_LAUNCH_FAILED, e)
						      : call_wrap(c->implementation, k, e);
		if (side)
			binding_side_take(&side->side, &call->plan);
		m->step = n_calls > 1 ? k + 1 : 0;
		if ((m->step && measurement_enter(m, PHASE_LOAD, e)) || load_call(m, k, e))
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
	const int64_t start = clock_now_ns();

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->id = (uint64_t)request->id;
	c->full = request->full;
	c->is_best = request->is_best;
	c->searched_ns = request->searched_ns;
	c->problem = p;
	c->moves = p->moves;
	c->sequence.kernels = c->kernels;
	result->status = RESULT_OK;
	enum asc_status s = measurement_enter(&m, PHASE_LOAD, e);
	if (!s)
		s = load(&m, request, e);
	c->load_ns = result->spent_ns[PHASE_LOAD] = clock_now_ns() - start - c->warm_ns;
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
	free(c->key);
	free(c);
}

enum asc_status worker_config_follow(struct measurement *m, struct asc_err *e)
{
	struct worker_config *c = m->config;
	const enum phase phase = m->result->phase;

	for (size_t k = 0; c->moves != c->problem->moves && k < c->sequence.n; k++)
		if (bind_call(m, k, e)) {
			m->result->phase = phase;
			return call_wrap(c->implementation, k, e);
		}
	c->moves = c->problem->moves;
	return ASC_OK;
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

/* Fills scratch tensors, scratch memory of calls and workspaces of vendors' functions, none of
 * which keeps anything from one launch to the next. A library gets its workspace with each launch
 * alone (vendor_ops.enqueue) and cannot prepare it before: NVIDIA's samples hand cublasLtMatmul,
 * and CANN's hand aclnn functions, memory as cudaMalloc and aclrtMalloc give it
 * (CUDALibrarySamples, cuBLASLt/Common/helpers.h; the examples of the operators' pages,
 * gitcode.com/cann). */
static enum asc_status fill_scratch(struct worker_config *c, int byte, struct asc_err *e)
{
	const struct worker_problem *p = c->problem;
	struct device_buffer *own[WORKER_CONFIG_OWN];
	const size_t n = worker_config_list_own(c, own);

	for (size_t i = 0; i < n; i++)
		if (own[i] && p->ops->fill(p->device, own[i], byte, e))
			return e->status;
	return ASC_OK;
}

enum asc_status worker_config_poison(struct worker_config *c, struct asc_err *e)
{
	return fill_scratch(c, POISON_BYTE, e) ? e->status : worker_problem_poison(c->problem, e);
}

enum asc_status worker_config_poison_lines(struct worker_config *c, struct rng *rng,
					   struct asc_err *e)
{
	return fill_scratch(c, POISON_BYTE, e) ? e->status
					       : worker_problem_poison_lines(c->problem, rng, e);
}

enum asc_status worker_config_fill(struct worker_config *c, int byte, struct asc_err *e)
{
	return fill_scratch(c, byte, e) ? e->status : worker_problem_fill(c->problem, byte, e);
}

bool worker_config_has_vendor(const struct worker_config *c)
{
	bool any = false;

	for (size_t i = 0; i < c->sequence.n; i++)
		any |= c->calls[i].vendor != NULL;
	return any;
}

bool worker_config_starts_late(const struct worker_config *c)
{
	bool any = false;

	for (size_t i = 0; i < c->sequence.n; i++)
		any |= c->calls[i].vendor && !vendor_is_warm(c->calls[i].vendor);
	return any;
}

bool worker_config_warms(const struct worker_config_request *request)
{
	bool any = false;
	const char *path;
	struct asc_err e;

	for (const struct json_node *n = json_first(request->artifacts); n; n = json_next(n))
		any |= json_get_string(json_find(n, "path"), &path, &e) == ASC_OK &&
		       vendor_warms(path);
	return any;
}

const char *worker_config_note(const struct worker_config *c)
{
	const char *note = "";

	for (size_t i = 0; i < c->sequence.n && !*note; i++)
		if (c->calls[i].vendor)
			note = vendor_note(c->calls[i].vendor);
	return note;
}
