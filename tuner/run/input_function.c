#include "tuner/run/input_function.h"

#include <stdlib.h>

#include "tuner/device/device.h"

void input_function_plan(const struct tensor *t, int64_t n, uint64_t seed, struct callable *call,
			 struct plan *plan)
{
	*call = (struct callable){.source = t->fill.source,
				  .builder = "cc",
				  .entry = {.list = {{.name = t->fill.entry}}, .n = 1},
				  .node = t->fill.node};
	*plan = (struct plan){
		.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = 1, .n_arguments = 3};
	plan->arguments[0] =
		(struct bound_argument){.kind = ARG_SCRATCH, .bytes = n * (int64_t)sizeof(double)};
	plan->arguments[1] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(n)};
	plan->arguments[2] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_U64, .scalar = value_int((int64_t)seed)};
}

struct call { /* of a function on the CPU */
	const struct device_ops *ops;
	struct device *device;
	struct device_kernel *kernel;
	struct device_buffer *scratch[WORKLOAD_MAX_ARGUMENTS];
	struct plan plan;
	struct callable callable;
	double *numbers;
};

static enum asc_status call_run(struct call *c, const char *artifact, struct asc_err *e)
{
	struct device_buffer *const none[1] = {NULL};
	size_t bytes = (size_t)c->plan.arguments[0].bytes;
	const struct device_batch once = {.samples = 1, .launches = 1};
	int64_t ns;

	if (c->ops->open(0, &c->device, e) || c->ops->alloc(c->device, bytes, &c->scratch[0], e) ||
	    c->ops->load(c->device, artifact, c->callable.entry.list[0].name, &c->kernel, e) ||
	    c->ops->bind(c->device, c->kernel, &c->plan, none, c->scratch, e) ||
	    c->ops->run(c->device, c->kernel, &once, &ns, e))
		return e->status;
	if (!c->ops->intact(c->device, c->scratch[0]))
		return asc_err_set(e, ASC_INPUT, "wrote outside of its tensor");
	c->numbers = malloc(bytes + 1);
	if (!c->numbers)
		return asc_err_nomem(e);
	return c->ops->read(c->device, c->scratch[0], c->numbers, bytes, e);
}

static void call_fini(struct call *c)
{
	free(c->numbers);
	if (!c->device)
		return;
	c->ops->unload(c->device, c->kernel);
	c->ops->release(c->device, c->scratch[0]);
	c->ops->close(c->device);
}

enum asc_status input_function_fill(const struct tensor *t, const struct bound_tensor *bound,
				    uint64_t seed, const char *artifact, void *out,
				    struct asc_err *e)
{
	struct call c = {.ops = device_find("cpu")};

	input_function_plan(t, bound->count, seed, &c.callable, &c.plan);
	enum asc_status s = call_run(&c, artifact, e);
	if (s)
		asc_err_wrap(e, "the fill function of tensor %s", t->name);
	else
		dtype_from_double(bound->dtype, c.numbers, out, (size_t)bound->count);
	call_fini(&c);
	return s;
}
