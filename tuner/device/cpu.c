/* The CPU: kernels are shared objects that are called in this process, or functions of vendor
 * libraries.
 *
 * An artifact exports
 *
 *     void asctune_launch(void *const *args);
 *
 * which makes one call of the grid. args[i] points to the value of argument i, as for
 * cuLaunchKernel: of a tensor or scratch buffer to a `void *` (NULL for an absent tensor), of a
 * scalar to a value of its type, of a builtin to an int64_t: the call's coordinates in the grid,
 * which thread makes it, of how many. The threads of the plan share the calls of the grid, each
 * taking the next one that is left; a thread makes one call at a time. */
#include <assert.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/device/cpu_buffer.h"
#include "tuner/device/cpu_float.h"
#include "tuner/device/cpu_flush.h"
#include "tuner/device/cpu_info.h"
#include "tuner/device/cpu_object.h"
#include "tuner/device/cpu_peaks.h"
#include "tuner/device/cpu_state.h"
#include "tuner/device/cpu_threads.h"
#include "tuner/device/devices.h"
#include "tuner/device/scalar.h"
#include "tuner/device/vendor.h"

enum { LINE = 64 };

typedef void launch_fn(void *const *args);

struct device {
	struct cpu_threads *threads;
	struct cpu_flush flush;
	struct cpu_state state;
};

union slot {
	void *pointer;
	unsigned char bytes[SCALAR_MAX_BYTES];
};

/* What one thread passes; on lines of its own because the coordinates change with every call. */
struct thread_args {
	_Alignas(LINE) int64_t builtin[BUILTIN_THREADS + 1];
	union slot slots[WORKLOAD_MAX_ARGUMENTS];
	void *args[WORKLOAD_MAX_ARGUMENTS];
};

struct device_kernel {
	void *handle;
	launch_fn *launch;
	const struct vendor_ops *vendor; /* instead of both */
	const char *function;            /* of the vendor's library; borrowed from its list */
	struct vendor_call *call;
	int64_t grid[3], calls, made; /* made: calls of the grid, fewer when sampled */
	size_t threads;
	struct thread_args *thread;
	_Atomic int64_t next; /* of the calls, the one to be made next */
};

static bool cpu_check(char *reason, size_t size)
{
	(void)reason;
	(void)size;
	return true;
}

static int cpu_count(void)
{
	return 1;
}

static enum asc_status check_ordinal(int ordinal, struct asc_err *e)
{
	return ordinal == 0 ? ASC_OK
			    : asc_err_set(e, ASC_ABSENT, "cpu:%d: there is only cpu:0", ordinal);
}

static enum asc_status cpu_inspect(int ordinal, struct device_info *out, struct asc_err *e)
{
	return check_ordinal(ordinal, e) ? e->status : cpu_info_read(out, e);
}

static void cpu_close(struct device *d)
{
	if (!d)
		return;
	cpu_threads_free(d->threads);
	cpu_flush_fini(&d->flush);
	cpu_state_fini(&d->state);
	free(d);
}

static enum asc_status cpu_open(int ordinal, struct device **out, struct asc_err *e)
{
	*out = NULL;
	if (check_ordinal(ordinal, e))
		return e->status;
	struct device *d = calloc(1, sizeof *d);
	if (!d)
		return asc_err_nomem(e);
	if (cpu_threads_new(&d->threads, e)) {
		cpu_close(d);
		return e->status;
	}
	*out = d;
	return ASC_OK;
}

static bool cpu_lost(const struct device *d)
{
	(void)d;
	return false;
}

static void unbind(struct device_kernel *k)
{
	if (k->call)
		k->vendor->fini(k->call);
	k->call = NULL;
	free(k->thread);
	k->thread = NULL;
}

static void cpu_unload(struct device *d, struct device_kernel *k)
{
	(void)d;
	if (!k)
		return;
	if (k->handle)
		dlclose(k->handle);
	unbind(k);
	free(k);
}

static enum asc_status load_object(struct device_kernel *k, const char *artifact, struct asc_err *e)
{
	k->handle = cpu_object_open(artifact);
	void *symbol = k->handle ? dlsym(k->handle, "asctune_launch") : NULL;
	if (!symbol) {
		const char *words = dlerror();
		return asc_err_set(e, ASC_INPUT, "%s", words ? words : artifact);
	}
	memcpy(&k->launch, &symbol, sizeof symbol); /* C has no cast from object to function */
	return ASC_OK;
}

static enum asc_status load_vendor(struct device_kernel *k, const char *source, const char *entry,
				   struct asc_err *e)
{
	char reason[512];

	if (!vendor_check(source, entry, "cpu", reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "%s", reason);
	k->vendor = vendor_find(source);
	k->function = vendor_function(k->vendor, entry);
	return ASC_OK;
}

/* Of an object file the builder has made `entry` what asctune_launch() calls. */
static enum asc_status cpu_load(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e)
{
	struct device_kernel *k = calloc(1, sizeof *k);

	*out = NULL;
	if (!k)
		return asc_err_nomem(e);
	if (strchr(artifact, '/') ? load_object(k, artifact, e)
				  : load_vendor(k, artifact, entry, e)) {
		cpu_unload(d, k);
		return e->status;
	}
	*out = k;
	return ASC_OK;
}

static enum asc_status set_grid(struct device_kernel *k, const struct plan *plan, struct asc_err *e)
{
	const int64_t *g = plan->grid;

	if (g[0] < 1 || g[1] < 1 || g[2] < 1 || __builtin_mul_overflow(g[0], g[1], &k->calls) ||
	    __builtin_mul_overflow(k->calls, g[2], &k->calls))
		return asc_err_set(e, ASC_LIMIT, "cannot launch a grid of %lld x %lld x %lld",
				   (long long)g[0], (long long)g[1], (long long)g[2]);
	if (plan->threads < 1 || plan->threads > CPU_THREADS_MAX)
		return asc_err_set(e, ASC_LIMIT, "%lld threads: expected 1 to %d",
				   (long long)plan->threads, CPU_THREADS_MAX);
	k->made = plan->sampled > 0 && plan->sampled < k->calls ? plan->sampled : k->calls;
	memcpy(k->grid, g, sizeof k->grid);
	k->threads = (size_t)plan->threads;
	return ASC_OK;
}

static enum asc_status set_argument(struct thread_args *t, size_t i, const struct bound_argument *a,
				    struct device_buffer *const *tensors,
				    struct device_buffer *const *scratch, struct asc_err *e)
{
	t->args[i] = t->slots[i].bytes;
	switch (a->kind) {
	case ARG_TENSOR: t->slots[i].pointer = cpu_buffer_data(tensors[a->tensor]); break;
	case ARG_SCRATCH: t->slots[i].pointer = cpu_buffer_data(scratch[i]); break;
	case ARG_SCALAR: scalar_store(a->type, a->scalar, t->slots[i].bytes); break;
	case ARG_BUILTIN: t->args[i] = &t->builtin[a->builtin]; break;
	case ARG_TENSOR_MAP:
		return asc_err_set(e, ASC_INPUT, "argument %zu: a CPU has no tensor maps", i);
	}
	return ASC_OK;
}

static enum asc_status set_arguments(struct device_kernel *k, const struct plan *plan,
				     struct device_buffer *const *tensors,
				     struct device_buffer *const *scratch, struct asc_err *e)
{
	unbind(k);
	k->thread = aligned_alloc(LINE, k->threads * sizeof *k->thread);
	if (!k->thread)
		return asc_err_nomem(e);
	for (size_t t = 0; t < k->threads; t++) {
		k->thread[t].builtin[BUILTIN_THREAD] = (int64_t)t;
		k->thread[t].builtin[BUILTIN_THREADS] = plan->threads;
		for (size_t i = 0; i < plan->n_arguments; i++)
			if (set_argument(&k->thread[t], i, &plan->arguments[i], tensors, scratch,
					 e))
				return e->status;
	}
	return ASC_OK;
}

/* Threads beyond the calls of the grid would find nothing to do. */
static size_t threads_used(const struct device_kernel *k)
{
	return k->made < (int64_t)k->threads ? (size_t)k->made : k->threads;
}

static enum asc_status bind_vendor(struct device *d, struct device_kernel *k,
				   const struct plan *plan, struct asc_err *e)
{
	const struct vendor_site site = {.plan = plan, .args = k->thread->args, .team = d->threads};

	return k->vendor ? k->vendor->prepare(&site, k->function, &k->call, e) : ASC_OK;
}

static enum asc_status cpu_bind(struct device *d, struct device_kernel *k, const struct plan *plan,
				struct device_buffer *const *tensors,
				struct device_buffer *const *scratch, struct asc_err *e)
{
	if (set_grid(k, plan, e) || set_arguments(k, plan, tensors, scratch, e) ||
	    cpu_threads_reserve(d->threads, threads_used(k), e) || bind_vendor(d, k, plan, e)) {
		unbind(k);
		return e->status;
	}
	cpu_state_watch(&d->state);
	return ASC_OK;
}

/* The i-th of those that are made. */
static void make_call(struct device_kernel *k, struct thread_args *t, int64_t i)
{
	int64_t call =
		k->made == k->calls || k->made < 2
			? i
			: (int64_t)((double)i * (double)(k->calls - 1) / (double)(k->made - 1));

	t->builtin[BUILTIN_BLOCK_X] = call % k->grid[0];
	t->builtin[BUILTIN_BLOCK_Y] = call / k->grid[0] % k->grid[1];
	t->builtin[BUILTIN_BLOCK_Z] = call / k->grid[0] / k->grid[1];
	k->launch(t->args);
}

static void share_calls(void *user, size_t index)
{
	struct device_kernel *k = user;
	int64_t i;

	while ((i = atomic_fetch_add_explicit(&k->next, 1, memory_order_relaxed)) < k->made)
		make_call(k, &k->thread[index], i);
}

static enum asc_status launch_once(struct device *d, struct device_kernel *k, struct asc_err *e)
{
	size_t threads = threads_used(k);

	if (k->vendor)
		return k->vendor->enqueue(k->call, e);
	if (threads == 1) {
		for (int64_t i = 0; i < k->made; i++)
			make_call(k, &k->thread[0], i);
		return ASC_OK;
	}
	atomic_store_explicit(&k->next, 0, memory_order_relaxed);
	cpu_threads_run(d->threads, threads, share_calls, k);
	return ASC_OK;
}

static void observe(struct device *d, struct device_state *out)
{
	cpu_state_read(&d->state, out);
}

static enum asc_status flush(struct device *d, struct asc_err *e)
{
	return cpu_flush_run(&d->flush, d->threads, e);
}

static enum asc_status cpu_run(struct device *d, struct device_kernel *k,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	assert(batch->samples == 1 && !batch->cold);
	if (!k->thread)
		return asc_err_set(e, ASC_USAGE, "the kernel has no arguments bound");
	bool team = (k->vendor ? k->threads : threads_used(k)) > 1;
	enum asc_status s = ASC_OK;

	if (team)
		cpu_threads_pin(d->threads);
	cpu_float_reset();
	int64_t start = clock_now_ns();
	for (int64_t i = 0; !s && i < batch->launches; i++)
		s = launch_once(d, k, e);
	*ns = clock_now_ns() - start;
	cpu_float_reset(); /* what compares computes with it too */
	if (team)
		cpu_threads_unpin(d->threads);
	return s;
}

static enum asc_status cpu_peaks(struct device *d, enum dtype type, struct peaks *out,
				 struct asc_err *e)
{
	(void)d;
	return cpu_peaks_measure(type, out, e);
}

const struct device_ops device_cpu = {
	.version = DEVICE_OPS_VERSION,
	.name = "cpu",
	.summary = "this machine's processors",
	.shares_host = true,
	.check = cpu_check,
	.count = cpu_count,
	.inspect = cpu_inspect,
	.open = cpu_open,
	.close = cpu_close,
	.lost = cpu_lost,
	.alloc = cpu_buffer_alloc,
	.release = cpu_buffer_release,
	.write = cpu_buffer_write,
	.read = cpu_buffer_read,
	.fill = cpu_buffer_fill,
	.protect = cpu_buffer_protect,
	.intact = cpu_buffer_intact,
	.unchanged = cpu_buffer_unchanged,
	.load = cpu_load,
	.unload = cpu_unload,
	.bind = cpu_bind,
	.flush = flush,
	.observe = observe,
	.run = cpu_run,
	.peaks = cpu_peaks,
};
