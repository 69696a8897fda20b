#include "tuner/device/cuda/cuda_peaks.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/stats/stats.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_clock.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/cuda_kernel.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/result/roofline.h"
#include "tuner/workload/binding/binding.h"

enum { PAUSE_NS = 20000000, RUNS = 5, BLOCKS = 8 /* of a processor */ };
enum { SIDE = 8192, WORKSPACE_BYTES = 32 << 20 };
static const size_t MOST_BYTES = (size_t)3 << 30;

/* Most that is read of L2: far less than any large one, since parts of these hold data of others
 * twice. */
static const size_t MOST_CACHED_BYTES = (size_t)8 << 20;

struct stand {
	struct device *d;
	struct CUmod_st *module;
	struct CUevent_st *events[2];
	struct device_kernel *nothing; /* what an empty launch launches */
	cuda_address cached;           /* normal numbers that caches are read for */
	size_t cached_bytes;           /* a power of two of pieces; 0: no memory */
};

/* One launch of what is measured: a function of the module, or a kernel. */
struct subject {
	struct CUfunc_st *function;
	void **args;
	unsigned blocks;
	struct device_kernel *kernel; /* set instead of the function */
};

static enum asc_status stand_open(struct stand *s, struct device *d, struct asc_err *e)
{
	struct buf image = {0};

	*s = (struct stand){.d = d};
	enum asc_status status = cuda_compile(d->info.arch, cuda_peaks_source, &image, e);
	if (status == ASC_OK)
		status = cuda_check(d, d->cu->module_load(&s->module, image.data),
				    "cuModuleLoadData", e);
	if (status == ASC_OK)
		status = cuda_kernel_load_image(d, image.data, "nothing", &s->nothing, e);
	buf_fini(&image);
	for (size_t i = 0; i < 2 && status == ASC_OK; i++)
		status = cuda_check(d, d->cu->event_create(&s->events[i], 0), "cuEventCreate", e);
	return status;
}

static void stand_close(struct stand *s)
{
	const struct cuda_driver *cu = s->d->cu;

	for (size_t i = 0; i < 2; i++)
		if (s->events[i])
			(void)cu->event_destroy(s->events[i]);
	device_kernel_unload(s->d, s->nothing);
	if (s->module)
		(void)cu->module_unload(s->module);
	if (s->cached_bytes)
		(void)cu->free(s->cached);
}

/* ---- launching ---- */

static enum asc_status launch(struct stand *s, const struct subject *x, struct asc_err *e)
{
	const struct cuda_launch_config config = {
		.grid = {x->blocks, 1, 1}, .block = {PEAKS_THREADS, 1, 1}, .stream = s->d->stream};

	if (x->kernel)
		return cuda_kernels_launch(s->d, &(struct device_sequence){&x->kernel, 1}, e);
	return cuda_check(s->d, s->d->cu->launch((const void *)&config, x->function, x->args, NULL),
			  "cuLaunchKernelEx", e);
}

static enum asc_status time_one(struct stand *s, const struct subject *x, double *ns,
				struct asc_err *e)
{
	const struct cuda_driver *cu = s->d->cu;
	float ms = 0;

	if (cuda_check(s->d, cu->event_record(s->events[0], s->d->stream), "cuEventRecord", e) ||
	    launch(s, x, e) ||
	    cuda_check(s->d, cu->event_record(s->events[1], s->d->stream), "cuEventRecord", e) ||
	    cuda_wait(s->d, "measuring what the device reaches", e) ||
	    cuda_check(s->d, cu->event_elapsed(&ms, s->events[0], s->events[1]),
		       "cuEventElapsedTime", e))
		return e->status;
	*ns = 1e6 * (double)ms;
	return ASC_OK;
}

/* Finds the rate: `amount` of a launch, a second, in the best of some launches. */
static enum asc_status find_rate(struct stand *s, const struct subject *x, double amount,
				 double *rate, struct asc_err *e)
{
	double ns = 0, best = INFINITY;

	for (int i = 0; i < RUNS; i++) {
		if (time_one(s, x, &ns, e))
			return e->status;
		best = ns > 0 && ns < best ? ns : best;
	}
	*rate = isfinite(best) ? 1e9 * amount / best : 0;
	return ASC_OK;
}

static enum asc_status find_function(struct stand *s, const char *name, struct subject *x,
				     struct asc_err *e)
{
	return cuda_check(s->d, s->d->cu->module_function(&x->function, s->module, name),
			  "cuModuleGetFunction", e);
}

/* ---- arithmetic ---- */

#define OF_CHAINS            (2.0 * PEAKS_CHAINS)
#define OF_PRODUCTS(m, n, k) (2.0 * (m) * (n) * (k)*PEAKS_PRODUCTS / PEAKS_WARP)
#define OF_WIDE(k)           (OF_PRODUCTS(64, 128, k) / PEAKS_WIDE)

/* Units that compute in a type, one number by one or by products of matrices: from compute
 * capability `from` to below `to`. Units that reach only a part of a newer device's, as mma.sync
 * does of wgmma's, give no peak there. */
static const struct unit {
	const char *kernel;
	double flops; /* FLOPs of a thread and round */
	enum dtype type;
	int from, to, rounds;
	bool tensor;
} units[] = {
	{"chains_f32", OF_CHAINS, DTYPE_F32, 0, INT_MAX, 16384, false},
	{"chains_f32", OF_CHAINS, DTYPE_F16, 0, INT_MAX, 16384, false},
	{"chains_f32", OF_CHAINS, DTYPE_BF16, 0, INT_MAX, 16384, false},
	{"chains_f32", OF_CHAINS, DTYPE_F8E4M3, 0, INT_MAX, 16384, false},
	{"chains_f32", OF_CHAINS, DTYPE_F8E5M2, 0, INT_MAX, 16384, false},
	{"chains_f64", OF_CHAINS, DTYPE_F64, 0, INT_MAX, 2048, false},
	{"products_f64", OF_PRODUCTS(8, 8, 4), DTYPE_F64, 80, 90, 512, true},
	{"products_f64", OF_PRODUCTS(16, 8, 16), DTYPE_F64, 90, INT_MAX, 512, true},
	{"products_tf32", OF_PRODUCTS(16, 8, 8), DTYPE_F32, 80, 90, 4096, true},
	{"products_f16", OF_PRODUCTS(16, 8, 16), DTYPE_F16, 80, 90, 4096, true},
	{"products_bf16", OF_PRODUCTS(16, 8, 16), DTYPE_BF16, 80, 90, 4096, true},
	{"products_i8", OF_PRODUCTS(16, 8, 32), DTYPE_I8, 80, 90, 4096, true},
	{"products_i8", OF_PRODUCTS(16, 8, 32), DTYPE_U8, 80, 90, 4096, true},
	{"products_f8e4m3", OF_PRODUCTS(16, 8, 32), DTYPE_F8E4M3, 89, 90, 4096, true},
	{"products_f8e5m2", OF_PRODUCTS(16, 8, 32), DTYPE_F8E5M2, 89, 90, 4096, true},
	{"wide_tf32", OF_WIDE(8), DTYPE_F32, 90, 91, 1024, true},
	{"wide_f16", OF_WIDE(16), DTYPE_F16, 90, 91, 1024, true},
	{"wide_bf16", OF_WIDE(16), DTYPE_BF16, 90, 91, 1024, true},
	{"wide_i8", OF_WIDE(32), DTYPE_I8, 90, 91, 1024, true},
	{"wide_i8", OF_WIDE(32), DTYPE_U8, 90, 91, 1024, true},
	{"wide_f8e4m3", OF_WIDE(32), DTYPE_F8E4M3, 90, 91, 1024, true},
	{"wide_f8e5m2", OF_WIDE(32), DTYPE_F8E5M2, 90, 91, 1024, true},
};

/* Measures one unit. All kernels write to their first argument what never occurs. */
static enum asc_status measure_unit(struct stand *s, const struct unit *u, double *out,
				    struct asc_err *e)
{
	const struct facts *f = &s->d->info.facts;
	cuda_address nowhere = 0;
	int rounds = u->rounds;
	double rate = 0;
	struct subject x = {.args = (void *[]){&nowhere, &rounds},
			    .blocks = BLOCKS * (unsigned)f->value[FACT_PROCESSORS]};

	if (find_function(s, u->kernel, &x, e) ||
	    find_rate(s, &x, u->flops * rounds * x.blocks * PEAKS_THREADS, &rate, e))
		return e->status;
	*out = fmax(*out, rate);
	return ASC_OK;
}

static enum asc_status measure_units(struct stand *s, enum dtype type, bool tensor, double *out,
				     struct asc_err *e)
{
	const int64_t capability = s->d->info.facts.value[FACT_COMPUTE_CAPABILITY];

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].type == type && units[i].tensor == tensor &&
		    units[i].from <= capability && capability < units[i].to &&
		    measure_unit(s, &units[i], out, e))
			return e->status;
	return ASC_OK;
}

/* ---- caches and shared memory ---- */

/* Makes data for readers of caches, which stay. Where no memory is left, their rates stay unknown.
 */
static enum asc_status fill_cached(struct stand *s, struct asc_err *e)
{
	const struct facts *f = &s->d->info.facts;
	const size_t l2 = f->known[FACT_L2_BYTES] ? (size_t)f->value[FACT_L2_BYTES] : 0;
	size_t bytes = PEAKS_PIECE;
	int bf16 = 1; /* pairs of which are normal floats as well */

	while (2 * bytes <= l2 / 4 && 2 * bytes <= MOST_CACHED_BYTES)
		bytes *= 2;
	if (s->d->cu->alloc(&s->cached, bytes))
		return ASC_OK;
	s->cached_bytes = bytes;
	int64_t n = (int64_t)bytes / 2;
	struct subject x = {.args = (void *[]){&s->cached, &n, &bf16},
			    .blocks = (unsigned)((n + PEAKS_THREADS - 1) / PEAKS_THREADS)};

	return find_function(s, "normals", &x, e) ? e->status : launch(s, &x, e);
}

/* Measures what all threads read by a kernel. */
static enum asc_status measure_reads(struct stand *s, const char *kernel, int rounds, double *out,
				     struct asc_err *e)
{
	cuda_address nowhere = 0;
	unsigned last = s->cached_bytes ? (unsigned)(s->cached_bytes / PEAKS_PIECE) - 1 : 0;
	struct subject x = {.args = (void *[]){&nowhere, &rounds, &s->cached, &last},
			    .blocks = BLOCKS * (unsigned)s->d->info.facts.value[FACT_PROCESSORS]};

	*out = 0;
	if (!s->cached_bytes)
		return ASC_OK;
	if (find_function(s, kernel, &x, e))
		return e->status;
	return find_rate(s, &x, (double)PEAKS_PIECE * rounds * x.blocks, out, e);
}

/* ---- launches ---- */

enum { FURTHER = 7 }; /* kernels of a launch behind the first one */

/* Finds the time of a cold launch of empty kernels, each of `blocks` blocks, by the median of some
 * on the device's own clock. */
static enum asc_status time_empty(struct stand *s, size_t kernels, int64_t blocks, double *ns_out,
				  struct asc_err *e)
{
	enum { SAMPLES = 9, THREADS = 128 };
	const struct plan plan = {
		.grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}, .cluster = {1, 1, 1}};
	const struct device_batch batch = {.samples = SAMPLES, .launches = 1, .cold = true};
	struct device_kernel *all[FURTHER + 1];
	const struct device_sequence sequence = {all, kernels};
	double times[SAMPLES];
	int64_t ns[SAMPLES];

	for (size_t i = 0; i < kernels; i++)
		all[i] = s->nothing;
	/* The first launch may load code; waiting for it, the clock forgets all launches so far. */
	if (device_kernel_bind(s->d, s->nothing, &plan, NULL, NULL, e) ||
	    clocked_launch(s->d, &sequence, 1, e) || clocked_wait(s->d, e) ||
	    clocked_run(s->d, &sequence, &batch, ns, e))
		return e->status;
	for (size_t i = 0; i < SAMPLES; i++)
		times[i] = (double)ns[i];
	*ns_out = stats_select_median(times, SAMPLES);
	return ASC_OK;
}

/* ---- memory ---- */

size_t cuda_peaks_triad_bytes(const struct facts *f)
{
	size_t memory = f->known[FACT_MEMORY_BYTES] ? (size_t)f->value[FACT_MEMORY_BYTES] : 0;
	size_t cache = f->known[FACT_L2_BYTES] ? (size_t)f->value[FACT_L2_BYTES] : 0;
	size_t bytes = memory / 16 < MOST_BYTES ? memory / 16 : MOST_BYTES;

	return bytes >= 4 * cache ? bytes : 0;
}

static enum asc_status measure_triad(struct stand *s, cuda_address at, size_t bytes, double *out,
				     struct asc_err *e)
{
	enum { ELEMENT = 16 }; /* float4 */
	size_t each = bytes / 3 / ELEMENT;
	int64_t n = (int64_t)each;
	cuda_address b = at + each * ELEMENT, c = b + each * ELEMENT;
	struct subject x = {.args = (void *[]){&at, &b, &c, &n},
			    .blocks = (unsigned)((each + PEAKS_THREADS - 1) / PEAKS_THREADS)};

	if (cuda_check(s->d, s->d->cu->set(at, 0, bytes, s->d->stream), "cuMemsetD8Async", e) ||
	    find_function(s, "triad", &x, e))
		return e->status;
	return find_rate(s, &x, 3.0 * ELEMENT * (double)each, out, e);
}

static enum asc_status measure_bandwidth(struct stand *s, double *out, struct asc_err *e)
{
	size_t bytes = cuda_peaks_triad_bytes(&s->d->info.facts);
	cuda_address at = 0;

	if (bytes == 0)
		return ASC_OK;
	if (cuda_check(s->d, s->d->cu->alloc(&at, bytes), "cuMemAlloc", e))
		return e->status == ASC_NOMEM
			       ? ASC_OK
			       : e->status; /* others hold the memory: the peak is unknown */
	enum asc_status status = measure_triad(s, at, bytes, out, e);
	(void)s->d->cu->free(at);
	return status;
}

/* ---- the vendor's product ---- */

/* Makes a plan of the vendor's product. Arguments as device/vendor/cublaslt.c lists them: A, B, C,
 * three sizes, four parameters that are 0 for the library's own choice, and the most bytes of a
 * workspace. */
static void plan_product(enum dtype type, struct plan *p)
{
	*p = (struct plan){.grid = {1, 1, 1},
			   .block = {1, 1, 1},
			   .cluster = {1, 1, 1},
			   .threads = 1,
			   .n_arguments = 11};
	for (size_t i = 0; i < 3; i++)
		p->arguments[i] = (struct bound_argument){.kind = ARG_TENSOR,
							  .type = type,
							  .tensor = i,
							  .rank = 2,
							  .shape = {SIDE, SIDE}};
	for (size_t i = 3; i < 11; i++)
		p->arguments[i] =
			(struct bound_argument){.kind = ARG_SCALAR,
						.type = DTYPE_I64,
						.scalar = value_int(i < 6    ? SIDE
								    : i < 10 ? 0
									     : WORKSPACE_BYTES)};
}

static enum asc_status measure_bound(struct stand *s, const struct plan *p,
				     struct device_buffer *const *buffers, double *out,
				     struct asc_err *e)
{
	struct device_buffer *const scratch[PLAN_MAX_ARGUMENTS] = {NULL};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	double rate = 0;
	enum asc_status status =
		vendor_load(&device_cuda, s->d, "cublaslt:gemm", "gemm", &v, &k, e);

	if (status == ASC_OK)
		status = device_kernel_bind(s->d, k, p, buffers, scratch, e);
	if (status == ASC_OK)
		status = find_rate(s, &(struct subject){.kernel = k}, 2.0 * SIDE * SIDE * SIDE,
				   &rate, e);
	device_kernel_unload(s->d, k);
	*out = fmax(*out, rate);
	return status;
}

/* Fills a matrix with normal numbers: equal numbers take less power, which raises the clock. */
static enum asc_status fill_normal(struct stand *s, enum dtype type, struct device_buffer *b,
				   struct asc_err *e)
{
	cuda_address at = cuda_buffer_address(b);
	int64_t n = (int64_t)SIDE * SIDE;
	int bf16 = type == DTYPE_BF16;
	struct subject x = {.args = (void *[]){&at, &n, &bf16},
			    .blocks = (unsigned)((n + PEAKS_THREADS - 1) / PEAKS_THREADS)};

	return find_function(s, "normals", &x, e) ? e->status : launch(s, &x, e);
}

static enum asc_status measure_product(struct stand *s, enum dtype type, double *out,
				       struct asc_err *e)
{
	const size_t bytes = (size_t)SIDE * SIDE * 2;
	struct device_buffer *buffers[3] = {NULL};
	enum asc_status status = ASC_OK;
	struct plan p;

	plan_product(type, &p);
	for (size_t i = 0; i < 3 && status == ASC_OK; i++)
		status = cuda_buffer_alloc(s->d, bytes, &buffers[i], e);
	for (size_t i = 0; i < 2 && status == ASC_OK; i++)
		status = fill_normal(s, type, buffers[i], e);
	if (status == ASC_OK)
		status = measure_bound(s, &p, buffers, out, e);
	for (size_t i = 0; i < 3; i++)
		device_buffer_release(s->d, buffers[i]);
	return status;
}

/* Measures the vendor's product. Its library may be missing, or the memory left too little: then
 * the peak is what the units make out of registers, where those are all units. */
static enum asc_status measure_vendor(struct stand *s, enum dtype type, double *out,
				      struct asc_err *e)
{
	const int64_t capability = s->d->info.facts.value[FACT_COMPUTE_CAPABILITY];
	struct asc_err why;

	if (!(type == DTYPE_F16 && capability >= 70) && !(type == DTYPE_BF16 && capability >= 80))
		return ASC_OK;
	if (measure_product(s, type, out, &why) == ASC_OK)
		return ASC_OK;
	log_print(LOG_NOTE, "the peak of %s is %s: %s", dtype_name(type),
		  *out > 0 ? "that of our own kernel" : "not known", why.text);
	if (s->d->lost)
		*e = why;
	return s->d->lost ? e->status : ASC_OK;
}

/* ---- all ---- */

/* Measures every peak once. */
static enum asc_status measure_once(struct stand *s, enum dtype type, struct peaks *out,
				    struct asc_err *e)
{
	enum { GRID = 1 << 16 /* so many blocks that the launch is a small part of their time */ };
	enum { ROUNDS_L2 = 128, ROUNDS_NEAR = 1024 }; /* a millisecond on an H100 */
	double plain = 0, tensor = 0, memory = 0, l2 = 0, l1 = 0, shared = 0;
	double one_ns = 0, all_ns = 0, grid_ns = 0;
	char row[sizeof out->rows->type];

	if (measure_units(s, type, false, &plain, e) || measure_units(s, type, true, &tensor, e) ||
	    measure_vendor(s, type, &tensor, e) || measure_bandwidth(s, &memory, e) ||
	    measure_reads(s, "read_l2", ROUNDS_L2, &l2, e) ||
	    measure_reads(s, "read_l1", ROUNDS_NEAR, &l1, e) ||
	    measure_reads(s, "read_shared", ROUNDS_NEAR, &shared, e) ||
	    time_empty(s, 1, 1, &one_ns, e) || time_empty(s, FURTHER + 1, 1, &all_ns, e) ||
	    time_empty(s, 1, GRID, &grid_ns, e))
		return e->status;
	/* Shorter numbers than f32 are what tensor units compute in, not the plain ones; tf32 is
	 * not f32. */
	const bool is_short = dtype_is_float(type) && dtype_bytes(type) < sizeof(float);
	peaks_add(out, PEAK_ARITHMETIC, dtype_name(type),
		  fmax(is_short ? 0 : plain, type == DTYPE_F32 ? 0 : tensor), false);
	(void)snprintf(row, sizeof row, PEAK_PLAIN "%s", dtype_name(type));
	peaks_add(out, PEAK_ARITHMETIC, row, plain, false);
	(void)snprintf(row, sizeof row, PEAK_TENSOR "%s", dtype_name(type));
	peaks_add(out, PEAK_ARITHMETIC, row, tensor, false);
	peaks_add(out, PEAK_MEMORY, "", memory, false);
	peaks_add(out, PEAK_MEMORY, PEAK_L2, l2, false);
	peaks_add(out, PEAK_MEMORY, PEAK_L1, l1, false);
	peaks_add(out, PEAK_MEMORY, PEAK_SHARED, shared, false);
	/* A clock that steps may read nothing, or less of more: that is no rate. */
	peaks_add(out, PEAK_LAUNCHES, PEAK_LAUNCH, one_ns > 0 ? 1e9 / one_ns : 0, false);
	peaks_add(out, PEAK_LAUNCHES, PEAK_FURTHER,
		  all_ns > one_ns ? 1e9 * FURTHER / (all_ns - one_ns) : 0, false);
	peaks_add(out, PEAK_LAUNCHES, PEAK_BLOCK, grid_ns > 0 ? 1e9 * GRID / grid_ns : 0, false);
	return ASC_OK;
}

/* Measures at some moments, with a pause between: whatever else the GPU does only takes time away.
 */
enum asc_status cuda_peaks_measure(struct device *d, enum dtype type, struct peaks *out,
				   struct asc_err *e)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct stand s;
	struct asc_err other;
	enum asc_status status = stand_open(&s, d, e);

	*out = (struct peaks){0};
	if (status == ASC_OK)
		status = fill_cached(&s, e);
	for (int i = 0; i < PEAKS_MOMENTS && status == ASC_OK; i++) {
		if (i)
			(void)nanosleep(&pause, NULL);
		status = measure_once(&s, type, out, e);
	}
	/* The clock has records of all these launches, which are none of a configuration. */
	enum asc_status forgotten = clock_forget(d->queue.clock, d, status ? &other : e);

	stand_close(&s);
	return status ? status : forgotten;
}
