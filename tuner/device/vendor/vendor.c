#include "tuner/device/vendor/vendor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/device_buffer.h"
#include "tuner/result/result.h"
#include "tuner/workload/binding/binding.h"

const struct vendor_ops *const vendor_list[] = {&vendor_openblas, &vendor_cublaslt, &vendor_aclnn,
						&vendor_atb,      &vendor_python,   NULL};

const struct vendor_ops *vendor_find(const char *source)
{
	size_t length = strcspn(source, ":");

	for (size_t i = 0; vendor_list[i]; i++)
		if (strlen(vendor_list[i]->name) == length &&
		    strncmp(vendor_list[i]->name, source, length) == 0)
			return vendor_list[i];
	return NULL;
}

/* Finds the library's own text of a function's name; NULL when there is no such function. */
static const char *vendor_function(const struct vendor_ops *v, const char *name)
{
	size_t i = 0;

	if (!v->functions)
		return name;
	while (v->functions[i] && strcmp(v->functions[i], name) != 0)
		i++;
	return v->functions[i];
}

enum asc_status vendor_check(const char *source, const char *function, const char *device,
			     struct asc_err *e)
{
	const struct vendor_ops *v = vendor_find(source);

	if (!v)
		return asc_err_set(e, ASC_ABSENT, "this version has no vendor library \"%.*s\"",
				   (int)strcspn(source, ":"), source);
	if (!vendor_function(v, function))
		return asc_err_set(e, ASC_ABSENT, "%s has no function \"%s\" here", v->name,
				   function);
	if (v->device && strcmp(v->device, device) != 0)
		return asc_err_set(e, ASC_ABSENT, "%s is for %s", v->name, v->device);
	if (v->open(e))
		return e->status;
	return v->has ? v->has(function, e) : ASC_OK;
}

enum asc_status vendor_identity(const char *source, struct buf *out, struct asc_err *e)
{
	const struct vendor_ops *v = vendor_find(source);

	if (!v)
		return asc_err_set(e, ASC_ABSENT, "no vendor library for %s", source);
	buf_print(out, "%s %d ", v->name, v->revision);
	source += strcspn(source, ":");
	return v->identity(*source ? source + 1 : source, out, e) ? e->status : buf_check(out, e);
}

/* ---- a function as a kernel of a device ---- */

enum { HOST_CALLS = 64 };

struct vendor_kernel {
	const struct device_ops *ops;
	struct device *device; /* borrowed */
	const struct vendor_ops *vendor;
	char *function;                  /* name; owned */
	struct vendor_call *call;        /* NULL: not bound */
	const struct plan *plan;         /* that it was bound with; only compared */
	struct vendor_needs needs;       /* of the call */
	struct device_buffer *workspace; /* shared with no other call; NULL: it needs none */
	bool queues;                     /* launching does not wait for the end */
	double host_ns[HOST_CALLS];      /* times of the last launches there */
	size_t launched;                 /* launches that were timed there */
	bool timed;                      /* a row of launches has ended: others do not count */
	double row_ns;                   /* the least median of a row; 0: there was no launch */
};

/* True for a function of a library without a list: its name may have slashes. */
static bool is_unlisted(const char *artifact)
{
	const struct vendor_ops *v = vendor_find(artifact);

	return v && !v->functions && artifact[strlen(v->name)] == ':';
}

bool vendor_is_source(const char *artifact)
{
	return strchr(artifact, '/') == NULL || is_unlisted(artifact);
}

bool vendor_warms(const char *artifact)
{
	return vendor_is_source(artifact) && vendor_find(artifact) && vendor_find(artifact)->warms;
}

enum asc_status vendor_load(const struct device_ops *ops, struct device *d, const char *source,
			    const char *function, struct vendor_kernel **v,
			    struct device_kernel **out, struct asc_err *e)
{
	*v = NULL;
	*out = NULL;
	if (vendor_check(source, function, ops->name, e))
		return e->status;
	struct vendor_kernel *made = calloc(1, sizeof *made);
	if (!made)
		return asc_err_nomem(e);
	made->ops = ops;
	made->device = d;
	made->vendor = vendor_find(source);
	/* One without a list has the name in its source alone: "python:" and a function. */
	made->function = str_dup(made->vendor->functions ? function : strchr(source, ':') + 1);
	made->queues = ops->info(d)->queues;
	if (!made->function) {
		vendor_kernel_free(made);
		return asc_err_nomem(e);
	}
	/* The device's kernel owns it from here on, unless there is none. */
	if (ops->adopt(d, made, out, e)) {
		vendor_kernel_free(made);
		return e->status;
	}
	*v = made;
	return ASC_OK;
}

static void unbind(struct vendor_kernel *v)
{
	if (v->call)
		v->vendor->fini(v->call);
	v->call = NULL;
	if (v->workspace)
		v->ops->release(v->device, v->workspace);
	v->workspace = NULL;
}

enum asc_status vendor_kernel_bind(struct vendor_kernel *v, const struct plan *plan,
				   struct device_buffer *const *tensors,
				   struct device_buffer *const *scratch, void *queue,
				   struct asc_err *e)
{
	struct vendor_operand operands[PLAN_MAX_ARGUMENTS] = {0};
	const struct vendor_site site = {plan, operands, v->ops, v->device, queue};

	for (size_t i = 0; i < plan->n_arguments; i++) {
		const struct bound_argument *a = &plan->arguments[i];
		struct vendor_operand *o = &operands[i];

		if (a->kind == ARG_SCRATCH)
			o->address = o->memory = v->ops->address(scratch[i]);
		if (a->kind != ARG_TENSOR)
			continue;
		/* Memory of the host is another one only where the device can allocate it. */
		*o = (struct vendor_operand){.memory = v->ops->address(tensors[a->tensor]),
					     .type = a->type,
					     .rank = a->rank,
					     .offset = a->offset_bytes /
						       (int64_t)dtype_bytes(a->type),
					     .scattered = a->scattered,
					     .on_host = a->on_host && v->ops->alloc_host};
		o->address = device_buffer_place(o->memory, a);
		memcpy(o->shape, a->shape, sizeof o->shape);
		memcpy(o->strides, a->strides, sizeof o->strides);
	}
	/* A call holds addresses of what was bound before. */
	if (v->call && v->plan == plan && v->vendor->move) {
		if (v->vendor->move(v->call, &site, v->function, e))
			unbind(v);
		return v->call ? ASC_OK : e->status;
	}
	unbind(v);
	v->needs = (struct vendor_needs){0};
	v->launched = 0;
	v->timed = false;
	v->row_ns = 0;
	v->plan = plan;
	if (v->vendor->prepare(&site, v->function, &v->call, &v->needs, e) ||
	    (v->needs.workspace_bytes > 0 &&
	     v->ops->alloc(v->device, v->needs.workspace_bytes, &v->workspace, e))) {
		unbind(v);
		return e->status;
	}
	return ASC_OK;
}

void vendor_kernel_ready(struct vendor_kernel *v)
{
	if (v->vendor->ready)
		v->vendor->ready(v->call);
}

void vendor_kernel_hold(struct vendor_kernel *v, bool taken)
{
	if (v->vendor->hold)
		v->vendor->hold(taken);
}

enum asc_status vendor_kernel_launch(struct vendor_kernel *v, struct asc_err *e)
{
	/* Where launching waits for the end, its time is the call's own, which reading clocks would
	 * add to. */
	const int64_t start = v->queues ? clock_now_ns() : 0;
	const enum asc_status s = v->vendor->enqueue(v->call, v->ops->address(v->workspace), e);

	if (v->queues && !v->timed && s == ASC_OK)
		v->host_ns[v->launched++ % HOST_CALLS] = (double)(clock_now_ns() - start);
	return s;
}

/* Median time of a launch among the last ones that were timed, in ns; 0: none was. */
static double host_median(const struct vendor_kernel *v)
{
	const size_t n = v->launched < HOST_CALLS ? v->launched : HOST_CALLS;
	double ns[HOST_CALLS];

	memcpy(ns, v->host_ns, sizeof ns);
	return n > 0 ? stats_select_median(ns, n) : 0;
}

void vendor_kernel_time_host(struct vendor_kernel *v, bool begins)
{
	v->timed = !begins;
	if (begins) {
		v->launched = 0;
		return;
	}
	const double median = host_median(v);

	v->row_ns = v->row_ns > 0 && median > 0 ? fmin(v->row_ns, median) : fmax(v->row_ns, median);
}

void vendor_kernel_free(struct vendor_kernel *v)
{
	if (!v)
		return;
	unbind(v);
	free(v->function);
	free(v);
}

struct device_buffer *vendor_workspace(const struct vendor_kernel *v)
{
	return v->workspace;
}

bool vendor_is_warm(const struct vendor_kernel *v)
{
	return v->vendor->warms;
}

bool vendor_is_anywhere(const struct vendor_kernel *v)
{
	return v->vendor->anywhere;
}

const char *vendor_note(const struct vendor_kernel *v)
{
	return v->needs.note;
}

enum asc_status vendor_collect(struct vendor_kernel *v, struct asc_err *e)
{
	return v->vendor->collect ? v->vendor->collect(v->call, e) : ASC_OK;
}

/* ---- facts ---- */

static enum asc_status name_work(struct vendor_kernel *const *calls, size_t n, struct result *out,
				 struct asc_err *e)
{
	struct buf all = {0};

	for (size_t i = 0; i < n; i++)
		if (calls[i] && *calls[i]->needs.work)
			buf_print(&all, "%s%s",
				  all.len > 0 ? "; " : "on the device: ", calls[i]->needs.work);
	const enum asc_status s = buf_check(&all, e);

	if (!s && all.len > 0) {
		free(out->log);
		out->log = buf_take(&all);
	}
	buf_fini(&all);
	return s;
}

enum asc_status vendor_record_facts(struct vendor_kernel *const *calls, size_t n,
				    struct result *out, struct asc_err *e)
{
	double workspace_bytes = 0, host_ns = 0;
	bool some = false, queues = false, capturable = true, known = true;

	for (size_t i = 0; i < n; i++) {
		if (!calls[i])
			continue;
		some = true;
		queues |= calls[i]->queues;
		capturable &= calls[i]->needs.capturable;
		known &= !calls[i]->vendor->anywhere;
		workspace_bytes += (double)calls[i]->needs.workspace_bytes;
		host_ns += calls[i]->timed ? calls[i]->row_ns : host_median(calls[i]);
	}
	/* Sums of all calls of a launch: their workspaces are there at once, and they are launched
	 * one after the other. */
	if (some &&
	    result_add_metric(out, RESULT_KERNEL, "workspace_bytes", workspace_bytes, "B", e))
		return e->status;
	if (!queues)
		return ASC_OK;
	if (name_work(calls, n, out, e) ||
	    (host_ns > 0 && result_add_metric(out, RESULT_KERNEL, "host_ns", host_ns, "ns", e)))
		return e->status;
	return !known ? ASC_OK
		      : result_add_metric(out, RESULT_KERNEL, "capturable", capturable, "1", e);
}

/* ---- arguments ---- */

enum asc_status vendor_check_arguments(const char *function, const struct vendor_argument *wanted,
				       const struct vendor_site *site, struct asc_err *e)
{
	static const char *const kinds[] = {[ARG_TENSOR] = "tensor",
					    [ARG_SCALAR] = "scalar",
					    [ARG_SCRATCH] = "scratch",
					    [ARG_TENSOR_MAP] = "tensor_map",
					    [ARG_BUILTIN] = "builtin"};
	const struct plan *plan = site->plan;
	size_t i = 0;

	for (; wanted[i].name; i++) {
		const struct bound_argument *have = &plan->arguments[i];
		const bool scalar = wanted[i].kind == ARG_SCALAR;

		/* Types of tensors are for the function to check: some take several. */
		if (i < plan->n_arguments && have->kind == wanted[i].kind &&
		    (!scalar || have->type == wanted[i].type))
			continue;
		return asc_err_set(e, ASC_INPUT, "%s takes as argument %zu %s: expected a %s%s%s",
				   function, i, wanted[i].name, kinds[wanted[i].kind],
				   scalar ? " of type " : "",
				   scalar ? dtype_name(wanted[i].type) : "");
	}
	if (i != plan->n_arguments)
		return asc_err_set(e, ASC_INPUT, "%s takes %zu arguments, not %zu", function, i,
				   plan->n_arguments);
	for (i = 0; wanted[i].name; i++)
		if (site->operands[i].scattered)
			return asc_err_set(e, ASC_INPUT,
					   "%s takes tensors row by row, and %s has strides of its "
					   "own",
					   function, wanted[i].name);
	return ASC_OK;
}
