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
#include <fenv.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_buffer.h"
#include "tuner/device/cpu/cpu_fault.h"
#include "tuner/device/cpu/cpu_flush.h"
#include "tuner/device/cpu/cpu_info.h"
#include "tuner/device/cpu/cpu_state.h"
#include "tuner/device/cpu/cpu_threads.h"
#include "tuner/device/device.h"
#include "tuner/device/device_kernel.h"
#include "tuner/device/vendor/vendor.h"

enum { LINE = 64 };

typedef void launch_fn(void *const *args);

struct device {
	struct device_info info;
	struct cpu_threads *threads;
	struct cpu_flush flush;
	struct cpu_state state;
};

union slot {
	void *pointer;
	unsigned char bytes[SCALAR_MAX_BYTES];
};

/* Arguments that one thread passes; on cache lines of their own because the coordinates change with
 * every call. */
struct thread_args {
	_Alignas(LINE) int64_t builtin[BUILTIN_THREADS + 1];
	union slot slots[PLAN_MAX_ARGUMENTS];
	void *args[PLAN_MAX_ARGUMENTS];
};

struct cpu_kernel {
	struct device_kernel common;
	void *handle;
	launch_fn *launch;
	int64_t grid[3], calls; /* calls of the grid */
	int64_t made;           /* calls that a launch makes: fewer when sampled */
	size_t threads;         /* of the plan: each has arguments */
	size_t active;          /* those of them that a launch has at most */
	struct thread_args *thread;
	struct cpu_span tensors[PLAN_MAX_ARGUMENTS]; /* tensors that the kernel is given */
	size_t n_tensors;
	bool watched;         /* threads have been looked for since it was bound first */
	_Atomic int64_t next; /* number of the call to be made next */
};

static struct cpu_kernel *of(struct device_kernel *k)
{
	return (struct cpu_kernel *)k;
}

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

static enum asc_status cpu_inspect(const char *place, struct device_info *out, struct asc_err *e)
{
	static struct device_info info; /* does not change while the process runs */
	static bool known;
	int number;

	if (device_parse_number("cpu", place, cpu_count(), &number, e) ||
	    (!known && cpu_info_read(&info, e)))
		return e->status;
	known = true;
	*out = info;
	return ASC_OK;
}

static const struct device_info *cpu_info(const struct device *d)
{
	return &d->info;
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

static enum asc_status cpu_open(const char *place, struct device **out, struct asc_err *e)
{
	struct device *d = calloc(1, sizeof *d);

	*out = NULL;
	if (!d)
		return asc_err_nomem(e);
	if (cpu_inspect(place, &d->info, e) || cpu_threads_new(&d->threads, e)) {
		cpu_close(d);
		return e->status;
	}
	cpu_fault_watch_thread(); /* it launches */
	*out = d;
	return ASC_OK;
}

static bool cpu_lost(const struct device *d)
{
	(void)d;
	return false;
}

struct brought {
	const struct link_map *own;
	bool met; /* set once the kernel's own entry was met: libraries behind it came with it, or
		     later */
	struct buf paths; /* paths of those libraries, each with its NUL */
};

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
	struct brought *c = user;

	(void)size;
	if (c->met && info->dlpi_name[0] == '/')
		buf_add(&c->paths, info->dlpi_name, strlen(info->dlpi_name) + 1);
	c->met |= info->dlpi_addr == c->own->l_addr && strcmp(info->dlpi_name, c->own->l_name) == 0;
	return 0;
}

/* Opens an object, as other code of this process must not notice. */
static void *cpu_object_open(const char *artifact)
{
	struct link_map *own = NULL;
	fenv_t before;

	/* An object built with -ffast-math sets the loading thread to flush subnormals, for good:
	 * later kernels, and the comparison of outputs, would compute otherwise than alone. */
	const bool kept = fegetenv(&before) == 0;
	void *handle = dlopen(artifact, RTLD_NOW | RTLD_LOCAL);

	if (kept)
		(void)fesetenv(&before);
	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0)
		return handle;
	/* Libraries that a kernel has brought with it stay when the kernel is unloaded: their
	 * threads, as OpenMP's, would go on in memory that is gone. The list is made under the
	 * loader's lock, since other threads load and drop libraries meanwhile, a GPU's driver for
	 * one; and they are opened after it, which takes that lock again. */
	struct brought c = {.own = own};

	(void)dl_iterate_phdr(note_library, &c);
	for (size_t at = 0; at < c.paths.len; at += strlen(c.paths.data + at) + 1)
		(void)dlopen(c.paths.data + at, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	buf_fini(&c.paths);
	return handle;
}

/* Loads an object file, for which `entry` is unused: its asctune_launch() already calls it. */
static enum asc_status load(struct device *d, struct device_kernel *k, const char *artifact,
			    const char *entry, struct asc_err *e)
{
	(void)d, (void)entry;
	of(k)->handle = cpu_object_open(artifact);
	void *symbol = of(k)->handle ? dlsym(of(k)->handle, "asctune_launch") : NULL;
	if (!symbol) {
		const char *words = dlerror();
		return asc_err_set(e, ASC_INPUT, "%s", words ? words : artifact);
	}
	/* C has no cast from object to function. */
	memcpy(&of(k)->launch, &symbol, sizeof symbol);
	return ASC_OK;
}

static void unload(struct device *d, struct device_kernel *k)
{
	(void)d;
	if (of(k)->handle)
		dlclose(of(k)->handle);
	free(of(k)->thread);
}

static enum asc_status set_grid(struct cpu_kernel *k, const struct plan *plan, struct asc_err *e)
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
	k->threads = k->active = (size_t)plan->threads;
	return ASC_OK;
}

static enum asc_status set_argument(struct thread_args *t, size_t i, const struct bound_argument *a,
				    struct device_buffer *const *tensors,
				    struct device_buffer *const *scratch, struct asc_err *e)
{
	t->args[i] = t->slots[i].bytes;
	switch (a->kind) {
	case ARG_TENSOR:
		t->slots[i].pointer = device_buffer_place(cpu_buffer_data(tensors[a->tensor]), a);
		break;
	case ARG_SCRATCH: t->slots[i].pointer = cpu_buffer_data(scratch[i]); break;
	case ARG_SCALAR: scalar_store(a->type, a->scalar, t->slots[i].bytes); break;
	case ARG_BUILTIN: t->args[i] = &t->builtin[a->builtin]; break;
	case ARG_TENSOR_MAP:
		return asc_err_set(e, ASC_INPUT, "argument %zu: a CPU has no tensor maps", i);
	case ARG_TEXT:
	case ARG_LIST:
	case ARG_NULL:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu is for functions of vendor libraries", i);
	}
	return ASC_OK;
}

static enum asc_status set_arguments(struct cpu_kernel *k, const struct plan *plan,
				     struct device_buffer *const *tensors,
				     struct device_buffer *const *scratch, struct asc_err *e)
{
	free(k->thread);
	k->thread = aligned_alloc(LINE, k->threads * sizeof *k->thread);
	if (!k->thread)
		return asc_err_nomem(e);
	/* A kernel that takes a short scalar for a pointer finds zeros behind it, always. */
	memset(k->thread, 0, k->threads * sizeof *k->thread);
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

/* Number of threads of a launch: more threads than calls of the grid would find nothing to do. */
static size_t threads_used(const struct cpu_kernel *k)
{
	return k->made < (int64_t)k->active ? (size_t)k->made : k->active;
}

static enum asc_status bind(struct device *d, struct device_kernel *kernel, const struct plan *plan,
			    struct device_buffer *const *tensors,
			    struct device_buffer *const *scratch, struct asc_err *e)
{
	struct vendor_kernel *const v = kernel->vendor;
	struct cpu_kernel *k = of(kernel);

	/* Threads first: a vendor's function counts those that are there. */
	if (set_grid(k, plan, e) || cpu_threads_reserve(d->threads, threads_used(k), e))
		return e->status;
	if (v ? vendor_kernel_bind(v, plan, tensors, scratch, d->threads, e)
	      : set_arguments(k, plan, tensors, scratch, e))
		return e->status;
	/* Tensors that a cold launch has to drop from the caches. */
	k->n_tensors = 0;
	for (size_t i = 0; i < plan->n_arguments; i++) {
		const struct bound_argument *a = &plan->arguments[i];
		struct device_buffer *b = a->kind == ARG_TENSOR ? tensors[a->tensor] : NULL;

		if (b)
			k->tensors[k->n_tensors++] =
				(struct cpu_span){cpu_buffer_data(b), b->bytes};
	}
	/* Once all threads are there that launches have, which takes longer than a short launch. */
	if (!k->watched)
		cpu_state_watch(&d->state);
	k->watched = true;
	return ASC_OK;
}

static const struct kernel_ops ops = {sizeof(struct cpu_kernel), load, unload, bind};

static enum asc_status cpu_load(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e)
{
	return device_kernel_load(&ops, d, artifact, entry, out, e);
}

static enum asc_status cpu_adopt(struct device *d, struct vendor_kernel *v,
				 struct device_kernel **out, struct asc_err *e)
{
	(void)d;
	return device_kernel_adopt(&ops, v, out, e);
}

/* Makes the i-th of the calls that a launch makes. */
static void make_call(struct cpu_kernel *k, struct thread_args *t, int64_t i)
{
	/* The calls of a sampled launch are spread evenly, from the first to the last: edges of a
	 * grid take other ways through a kernel than its middle. */
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
	struct cpu_kernel *k = user;
	int64_t i;

	/* Relaxed: nothing but the number is handed over, and the end of the run orders the rest.
	 */
	while ((i = atomic_fetch_add_explicit(&k->next, 1, memory_order_relaxed)) < k->made)
		make_call(k, &k->thread[index], i);
}

static enum asc_status launch_once(struct device *d, struct cpu_kernel *k, struct asc_err *e)
{
	size_t threads = threads_used(k);

	if (k->common.vendor)
		return vendor_kernel_launch(k->common.vendor, e);
	/* One thread shares nothing: an atomic counter would be part of its time. */
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

static void use(struct device *d, struct device_use *out)
{
	cpu_state_use(&d->state, out);
}

static enum asc_status flush(struct device *d, const struct device_sequence *s, struct asc_err *e)
{
	struct cpu_span tensors[WORKLOAD_MAX_CALLS * PLAN_MAX_ARGUMENTS];
	size_t n = 0;

	for (size_t i = 0; s && i < s->n; i++)
		for (size_t k = 0; k < of(s->kernels[i])->n_tensors; k++)
			tensors[n++] = of(s->kernels[i])->tensors[k];
	return cpu_flush_run(&d->flush, d->threads, tensors, n, e);
}

/* True for a function whose library starts and places its threads as it likes, at any call. */
static bool is_warm(const struct cpu_kernel *k)
{
	return k->common.vendor && vendor_is_warm(k->common.vendor);
}

/* Launches each kernel in order; *kernels_ns, unless NULL, grows by the time of each. */
static enum asc_status launch_each(struct device *d, const struct device_sequence *sequence,
				   int64_t *kernels_ns, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; !s && i < sequence->n; i++) {
		const int64_t start = kernels_ns ? clock_now_ns() : 0;

		s = launch_once(d, of(sequence->kernels[i]), e);
		if (kernels_ns)
			*kernels_ns += clock_now_ns() - start;
	}
	return s;
}

static void hold(const struct device_sequence *sequence, bool taken)
{
	for (size_t i = 0; i < sequence->n; i++)
		if (sequence->kernels[i]->vendor)
			vendor_kernel_hold(sequence->kernels[i]->vendor, taken);
}

static enum asc_status launch_timed(struct device *d, const struct device_sequence *sequence,
				    int64_t n, int64_t *ns, int64_t *kernels_ns, struct asc_err *e)
{
	enum asc_status s = device_check_bound(sequence, e);
	bool team = false;

	if (s)
		return s;
	for (size_t i = 0; i < sequence->n; i++) {
		const struct cpu_kernel *k = of(sequence->kernels[i]);

		team |= (k->common.vendor ? k->threads : threads_used(k)) > 1 && !is_warm(k);
		if (k->common.vendor)
			vendor_kernel_ready(k->common.vendor);
	}
	/* A kernel with threads of its own would start them on the processor that it is kept on. */
	if (team)
		cpu_threads_pin(d->threads);
	else /* threads that this launch does not use would take clock and units from it */
		cpu_threads_rest(d->threads);
	/* Outside of the time; whatever an earlier kernel has left. */
	cpu_float_reset();
	hold(sequence, true);
	int64_t start = clock_now_ns();
	for (int64_t i = 0; !s && i < n; i++)
		s = launch_each(d, sequence, kernels_ns, e);
	*ns = clock_now_ns() - start;
	hold(sequence, false);
	cpu_float_reset(); /* the comparison of outputs computes with it too */
	if (team)
		cpu_threads_unpin(d->threads);
	return s;
}

static enum asc_status cpu_launch(struct device *d, const struct device_sequence *s, int64_t n,
				  struct asc_err *e)
{
	int64_t ns;

	return launch_timed(d, s, n, &ns, NULL, e);
}

static enum asc_status cpu_wait(struct device *d, struct asc_err *e)
{
	(void)d;
	(void)e;
	return ASC_OK;
}

static enum asc_status cpu_run(struct device *d, const struct device_sequence *s,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	assert(batch->samples == 1 && !batch->cold);
	if (batch->kernels_ns)
		*batch->kernels_ns = 0;
	return launch_timed(d, s, batch->launches, ns, batch->kernels_ns, e);
}

/* Leaves the second half of the threads out. Those that stay share all calls of the grid, so that
 * nothing else changes. */
static enum asc_status cpu_halve(struct device *d, const struct device_sequence *s, bool half,
				 struct asc_err *e)
{
	bool halved = false, bound = false;

	(void)d;
	for (size_t i = 0; i < s->n; i++) {
		struct cpu_kernel *k = of(s->kernels[i]);

		/* A vendor's function has the threads that it was bound with. */
		bound |= k->common.vendor && k->threads > 1;
		if (k->common.vendor)
			continue;
		k->active = k->threads;
		const size_t used = threads_used(k);
		if (half && used > 1) {
			k->active = used / 2;
			halved = true;
		}
	}
	return halved || !half ? ASC_OK
			       : asc_err_set(e, ASC_ABSENT, "%s",
					     bound ? "a vendor's function keeps its threads"
						   : "the launch has one thread");
}

/* ---- peaks ---- */

static void do_nothing(void *const *args)
{
	(void)args;
}

/* Times an empty launch as cpu_run() times others. The team is that of the peaks: threads that the
 * device keeps would be counted by vendors' functions later. */
static enum asc_status time_empty(void *user, struct cpu_threads *team, size_t threads,
				  int64_t calls, int64_t *ns, struct asc_err *e)
{
	const struct plan plan = {.grid = {calls, 1, 1}, .threads = (int64_t)threads};
	struct device with_team = {.threads = team};
	struct cpu_kernel k = {.common.bound = true, .launch = do_nothing};
	struct device_kernel *const kernels[] = {&k.common};
	const struct device_sequence s = {kernels, 1};

	if (set_grid(&k, &plan, e) || set_arguments(&k, &plan, NULL, NULL, e))
		return e->status;
	/* What the launch reads is cold, as in other launches. */
	const struct cpu_span span = {k.thread, k.threads * sizeof *k.thread};
	enum asc_status status = cpu_flush_run(user, team, &span, 1, e);

	if (status == ASC_OK)
		status = launch_timed(&with_team, &s, 1, ns, NULL, e);
	free(k.thread);
	return status;
}

static enum asc_status cpu_peaks(struct device *d, enum dtype type, struct peaks *out,
				 struct asc_err *e)
{
	struct cpu_flush flush = {0};
	const struct cpu_empty empty = {time_empty, &flush};
	enum asc_status s = cpu_peaks_measure(&d->info.facts, type, &empty, out, e);

	cpu_flush_fini(&flush);
	return s;
}

const struct device_ops device_cpu = {
	.name = "cpu",
	.summary = "this machine's processors",
	.check = cpu_check,
	.count = cpu_count,
	.inspect = cpu_inspect,
	.open = cpu_open,
	.info = cpu_info,
	.close = cpu_close,
	.lost = cpu_lost,
	.alloc = cpu_buffer_alloc,
	.release = device_buffer_release,
	.write = device_buffer_write,
	.read = device_buffer_read,
	.fill = device_buffer_fill,
	.protect = device_buffer_protect,
	.copy = device_buffer_copy,
	.move = device_buffer_move,
	.move_end = CPU_BUFFER_MOVE_END,
	.look = device_buffer_look,
	.digest = device_buffer_digest,
	.fetch = cpu_buffer_fetch,
	.store = cpu_buffer_store,
	.take = cpu_buffer_take,
	.address = cpu_buffer_data,
	.label = cpu_buffer_label,
	.find_stray = cpu_buffer_find_stray,
	.load = cpu_load,
	.adopt = cpu_adopt,
	.unload = device_kernel_unload,
	.bind = device_kernel_bind,
	.flush = flush,
	.observe = observe,
	.use = use,
	.launch = cpu_launch,
	.wait = cpu_wait,
	.run = cpu_run,
	.halve = cpu_halve,
	.peaks = cpu_peaks,
};
