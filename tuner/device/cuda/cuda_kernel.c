/* How a launch comes about:
 *
 * 1. load reads the cubin and the function's attributes, which limit its blocks.
 * 2. bind stores each argument in a slot, since the driver reads arguments by address at the
 * launch, checks grid, block and shared memory, and makes the launch's configuration.
 * 3. cuda_kernels_restore() puts the variables of its module back, before anything of the launch.
 * 4. cuda_kernels_launch() is one call of the driver for each kernel: all else was worked out
 * before any clock runs.
 *
 * A vendor's function has neither module nor configuration: its library launches on the stream. */
#include "tuner/device/cuda/cuda_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_globals.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/result/result.h"

enum { PLAIN_SHARED_BYTES = 48 << 10, MAX_AXIS_YZ = 65535, PORTABLE_CLUSTER = 8 };

union slot {
	struct cuda_tensor_map map;
	cuda_address address;
	unsigned char bytes[SCALAR_MAX_BYTES];
};

struct cuda_kernel {
	struct device_kernel common;
	struct CUmod_st *module;
	struct CUfunc_st *function;
	struct cuda_globals globals;                        /* what the module would keep */
	int threads, static_shared, local_bytes, registers; /* attributes of the function */
	bool known;                                         /* launched before */
	unsigned shared_bytes; /* of the plan; the configuration may have more:
				  cuda_kernels_occupy() */
	struct cuda_launch_config config;
	struct cuda_launch_attribute attributes[4];
	union slot slots[PLAN_MAX_ARGUMENTS];
	void *args[PLAN_MAX_ARGUMENTS];
};

_Static_assert(_Alignof(struct cuda_kernel) <= DEVICE_KERNEL_ALIGN, "as kernels are allocated");

static const struct cuda_kernel *of(const struct device_kernel *k)
{
	return (const struct cuda_kernel *)k;
}

/* ---- descriptors for bulk copies of tiles: the tensor memory accelerator of Hopper and newer ----
 */

enum { MAX_RANK = 5, MAX_BOX = 256, ROW_BYTES = 16 };

static const int types[DTYPE_COUNT] = {
	[DTYPE_F64] = CUDA_MAP_F64,   [DTYPE_F32] = CUDA_MAP_F32,   [DTYPE_F16] = CUDA_MAP_F16,
	[DTYPE_BF16] = CUDA_MAP_BF16, [DTYPE_I64] = CUDA_MAP_I64,   [DTYPE_I32] = CUDA_MAP_I32,
	[DTYPE_I16] = CUDA_MAP_U16,   [DTYPE_I8] = CUDA_MAP_U8,     [DTYPE_U64] = CUDA_MAP_U64,
	[DTYPE_U32] = CUDA_MAP_U32,   [DTYPE_U16] = CUDA_MAP_U16,   [DTYPE_U8] = CUDA_MAP_U8,
	[DTYPE_BOOL] = CUDA_MAP_U8,   [DTYPE_F8E4M3] = CUDA_MAP_U8, [DTYPE_F8E5M2] = CUDA_MAP_U8};

/* Layout in CUDA's order: the innermost dimension first. */
struct layout {
	uint64_t dims[MAX_RANK], strides[MAX_RANK]; /* strides[i]: bytes from one element to the
						       next along dims[i + 1] */
	uint32_t box[MAX_RANK], steps[MAX_RANK];
};

static enum asc_status lay_out(const struct bound_argument *a, struct layout *out,
			       struct asc_err *e)
{
	const uint64_t width = dtype_bytes(a->type);

	if (a->rank < 1 || a->rank > MAX_RANK)
		return asc_err_set(e, ASC_LIMIT,
				   "a tensor map has %zu dimensions, expected 1 to %d", a->rank,
				   MAX_RANK);
	for (size_t i = 0; i < a->rank; i++) {
		size_t from = a->rank - 1 - i; /* CUDA has the innermost dimension first */

		if (a->box[from] < 1 || a->box[from] > MAX_BOX)
			return asc_err_set(e, ASC_LIMIT,
					   "a tensor map's box has side %lld, expected 1 to %d",
					   (long long)a->box[from], MAX_BOX);
		out->dims[i] = (uint64_t)a->shape[from];
		out->box[i] = (uint32_t)a->box[from];
		out->steps[i] = 1;
		/* The first dimension has no stride, the last none to a next. */
		if (i == 0 && a->shape[from] > 1 && a->strides[from] != 1)
			return asc_err_set(e, ASC_LIMIT,
					   "a tensor map needs rows without gaps, not a stride of "
					   "%lld elements",
					   (long long)a->strides[from]);
		if (i + 1 == a->rank)
			break;
		out->strides[i] = (uint64_t)a->strides[from - 1] * width;
		if (out->strides[i] % ROW_BYTES != 0)
			return asc_err_set(e, ASC_LIMIT,
					   "a tensor map needs rows of a multiple of %d bytes, not "
					   "of %llu",
					   ROW_BYTES, (unsigned long long)out->strides[i]);
	}
	return ASC_OK;
}

static unsigned find_swizzle(const char *name)
{
	static const struct {
		const char *name;
		unsigned value;
	} known[] = {{"32B", CUDA_MAP_SWIZZLE_32B},
		     {"64B", CUDA_MAP_SWIZZLE_64B},
		     {"128B", CUDA_MAP_SWIZZLE_128B}};

	for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].value;
	return CUDA_MAP_SWIZZLE_NONE;
}

/* Makes the descriptor of the tensor at `at` that `a`, an ARG_TENSOR_MAP, describes: row by row,
 * without steps between elements, zeros outside. ASC_LIMIT for what the hardware cannot describe:
 * more than 5 dimensions, a box side over 256, gaps within rows, an address or rows that are no
 * multiple of 16 bytes (CUDA driver API, cuTensorMapEncodeTiled). */
static enum asc_status cuda_tensor_map_make(struct device *d, const struct bound_argument *a,
					    cuda_address at, struct cuda_tensor_map *out,
					    struct asc_err *e)
{
	struct layout l;
	void *address;
	struct CUtensorMap_st *map = (struct CUtensorMap_st *)(void *)out;

	if (!d->cu->tensor_map)
		return asc_err_set(e, ASC_ABSENT, "this driver makes no tensor maps");
	if (lay_out(a, &l, e))
		return e->status;
	if (at % ROW_BYTES != 0)
		return asc_err_set(
			e, ASC_LIMIT,
			"a tensor map needs an address that is a multiple of %d, and the "
			"tensor begins %lld bytes behind one",
			ROW_BYTES, (long long)(at % ROW_BYTES));
	memcpy(&address, &at, sizeof address); /* an integer is no pointer to an optimiser */
	unsigned rc = d->cu->tensor_map(map, (unsigned)types[a->type], (uint32_t)a->rank, address,
					l.dims, l.strides, l.box, l.steps, CUDA_MAP_NOT_INTERLEAVED,
					find_swizzle(a->swizzle), CUDA_MAP_PROMOTE_256B,
					CUDA_MAP_ZEROS_OUTSIDE);

	return cuda_check(d, rc, "cuTensorMapEncodeTiled", e);
}

/* ---- loading ---- */

enum asc_status cuda_module_load(struct device *d, const void *image, const char *entry,
				 struct CUmod_st **module, struct CUfunc_st **function,
				 struct asc_err *e)
{
	if (cuda_check(d, d->cu->module_load(module, image), "cuModuleLoadData", e))
		return e->status;
	if (cuda_check(d, d->cu->module_function(function, *module, entry), "cuModuleGetFunction",
		       e))
		return asc_err_wrap(e, "%s", entry);
	return ASC_OK;
}

static enum asc_status read_attributes(struct device *d, struct cuda_kernel *k, struct asc_err *e)
{
	const struct {
		unsigned attribute;
		int *to;
	} wanted[] = {{CUDA_FUNCTION_THREADS, &k->threads},
		      {CUDA_FUNCTION_SHARED, &k->static_shared},
		      {CUDA_FUNCTION_LOCAL, &k->local_bytes},
		      {CUDA_FUNCTION_REGISTERS, &k->registers}};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (cuda_check(d,
			       d->cu->function_get(wanted[i].to, wanted[i].attribute, k->function),
			       "cuFuncGetAttribute", e))
			return e->status;
	return ASC_OK;
}

static enum asc_status load_image(struct device *d, struct device_kernel *kernel, const char *image,
				  const char *entry, struct asc_err *e)
{
	struct cuda_kernel *k = (struct cuda_kernel *)kernel;

	return cuda_module_load(d, image, entry, &k->module, &k->function, e)
		       ? e->status
		       : read_attributes(d, k, e);
}

static enum asc_status load(struct device *d, struct device_kernel *k, const char *artifact,
			    const char *entry, struct asc_err *e)
{
	struct buf image = {0};
	enum asc_status s = file_read(artifact, 0, &image, e);

	if (!s)
		s = load_image(d, k, buf_str(&image), entry, e);
	if (!s)
		s = cuda_globals_take(d, of(k)->module, image.data, image.len,
				      &((struct cuda_kernel *)k)->globals, e);
	buf_fini(&image);
	return s && !strstr(e->text, artifact) ? asc_err_wrap(e, "%s", artifact) : s;
}

static void unload(struct device *d, struct device_kernel *kernel)
{
	cuda_globals_free(d, &((struct cuda_kernel *)kernel)->globals);
	if (of(kernel)->module)
		(void)d->cu->module_unload(of(kernel)->module);
}

/* ---- parameters ---- */

static size_t parameter_bytes(const struct bound_argument *a)
{
	static const size_t address = sizeof(cuda_address);

	if (a->kind == ARG_TENSOR_MAP)
		return sizeof(struct cuda_tensor_map);
	return a->kind == ARG_SCALAR ? dtype_bytes(a->type) : address;
}

enum asc_status cuda_parameters_check(const struct cuda_driver *cu, struct CUfunc_st *function,
				      const struct plan *plan, struct asc_err *e)
{
	size_t n = 0, offset, bytes;

	/* An older driver does not say: then a wrong number shows at the launch, if at all. */
	if (!cu->function_parameter)
		return ASC_OK;
	for (; cu->function_parameter(function, n, &offset, &bytes) == 0; n++)
		if (n < plan->n_arguments && bytes != parameter_bytes(&plan->arguments[n]))
			return asc_err_set(e, ASC_INPUT,
					   "parameter %zu of the kernel has %zu bytes, %zu would "
					   "be passed",
					   n, bytes, parameter_bytes(&plan->arguments[n]));
	if (n != plan->n_arguments)
		return asc_err_set(e, ASC_INPUT,
				   "the kernel takes %zu parameters, %zu would be passed", n,
				   plan->n_arguments);
	return ASC_OK;
}

enum asc_status cuda_kernel_match(struct device *d, const struct device_kernel *k,
				  const struct plan *plan, struct asc_err *e)
{
	return k->vendor ? ASC_OK : cuda_parameters_check(d->cu, of(k)->function, plan, e);
}

/* ---- the launch ---- */

static int64_t product(const int64_t v[3])
{
	int64_t n;

	if (__builtin_mul_overflow(v[0], v[1], &n) || __builtin_mul_overflow(n, v[2], &n))
		return INT64_MAX;
	return n;
}

static enum asc_status check_grid(const struct plan *plan, struct asc_err *e)
{
	const int64_t *g = plan->grid, *c = plan->cluster;

	if (g[0] < 1 || g[1] < 1 || g[2] < 1 || g[0] > INT32_MAX || g[1] > MAX_AXIS_YZ ||
	    g[2] > MAX_AXIS_YZ)
		return asc_err_set(e, ASC_LIMIT,
				   "cannot launch a grid of %lld x %lld x %lld: expected 1 to %d "
				   "along x, 1 to %d along y and z",
				   (long long)g[0], (long long)g[1], (long long)g[2], INT32_MAX,
				   MAX_AXIS_YZ);
	for (size_t i = 0; i < 3; i++)
		if (c[i] > 0 && g[i] % c[i] != 0)
			return asc_err_set(e, ASC_LIMIT,
					   "a grid of %lld blocks has no whole clusters of %lld",
					   (long long)g[i], (long long)c[i]);
	return ASC_OK;
}

static void add_attribute(struct cuda_kernel *k, struct cuda_launch_attribute attribute)
{
	k->attributes[k->config.n_attributes++] = attribute;
}

static enum asc_status add_attributes(struct device *d, struct cuda_kernel *k,
				      const struct plan *plan, struct asc_err *e)
{
	const int64_t *cluster = plan->cluster, blocks = product(cluster);

	k->config.attributes = k->attributes;
	if (plan->cooperative)
		add_attribute(k, (struct cuda_launch_attribute){.id = CUDA_LAUNCH_COOPERATIVE,
								.value.cooperative = 1});
	if (plan->programmatic)
		add_attribute(k, (struct cuda_launch_attribute){.id = CUDA_LAUNCH_PROGRAMMATIC,
								.value.programmatic = 1});
	if (blocks <= 1)
		return ASC_OK;
	add_attribute(k, (struct cuda_launch_attribute){.id = CUDA_LAUNCH_CLUSTER,
							.value.cluster = {(unsigned)cluster[0],
									  (unsigned)cluster[1],
									  (unsigned)cluster[2]}});
	if (plan->spread)
		add_attribute(k,
			      (struct cuda_launch_attribute){.id = CUDA_LAUNCH_CLUSTER_POLICY,
							     .value.policy = CUDA_CLUSTER_SPREAD});
	/* Sizes that not every device of the architecture has. */
	if (blocks <= PORTABLE_CLUSTER)
		return ASC_OK;
	return cuda_check(d, d->cu->function_set(k->function, CUDA_FUNCTION_BIG_CLUSTERS, 1),
			  "cuFuncSetAttribute", e);
}

/* Allows launches of a kernel to add so much shared memory. */
static enum asc_status allow_shared(struct device *d, struct cuda_kernel *k, int64_t bytes,
				    struct asc_err *e)
{
	return cuda_check(d,
			  d->cu->function_set(k->function, CUDA_FUNCTION_MAX_DYNAMIC, (int)bytes),
			  "cuFuncSetAttribute", e);
}

/* Makes the launch's configuration, once for all launches: what the driver would refuse is refused
 * here, by name. */
static enum asc_status set_launch(struct device *d, struct cuda_kernel *k, const struct plan *plan,
				  struct asc_err *e)
{
	const int64_t threads = product(plan->block);
	const int64_t shared = plan->shared_bytes + k->static_shared;
	const int64_t limit = d->info.facts.value[FACT_BLOCK_SHARED_BYTES];
	char wanted[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	if (check_grid(plan, e))
		return e->status;
	if (threads < 1 || threads > k->threads)
		return asc_err_set(e, ASC_LIMIT,
				   "a block of %lld threads: with its %d registers a thread this "
				   "kernel has at most %d",
				   (long long)threads, k->registers, k->threads);
	if (shared > limit)
		return asc_err_set(e, ASC_LIMIT,
				   "a block wants %s of shared memory and can have %s",
				   units_print_bytes((double)shared, wanted),
				   units_print_bytes((double)limit, most));
	/* Beyond the plain amount a kernel has to ask. */
	if (shared > PLAIN_SHARED_BYTES && allow_shared(d, k, plan->shared_bytes, e))
		return e->status;
	if (plan->prefers_shared &&
	    cuda_check(d, d->cu->function_cache(k->function, CUDA_CACHE_PREFERS_SHARED),
		       "cuFuncSetCacheConfig", e))
		return e->status;
	k->shared_bytes = (unsigned)plan->shared_bytes;
	k->config =
		(struct cuda_launch_config){.shared_bytes = k->shared_bytes, .stream = d->stream};
	for (size_t i = 0; i < 3; i++) {
		k->config.grid[i] = (unsigned)plan->grid[i];
		k->config.block[i] = (unsigned)plan->block[i];
	}
	return add_attributes(d, k, plan, e);
}

/* ---- arguments ---- */

static enum asc_status set_argument(struct device *d, struct cuda_kernel *k, size_t i,
				    const struct bound_argument *a,
				    struct device_buffer *const *tensors,
				    struct device_buffer *const *scratch, struct asc_err *e)
{
	union slot *slot = &k->slots[i];
	const bool is_tensor = a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP;
	/* 0 of an absent one, whose offset is 0 as well. */
	const cuda_address place =
		is_tensor ? cuda_buffer_address(tensors[a->tensor]) + (uint64_t)a->offset_bytes : 0;

	k->args[i] = slot;
	switch (a->kind) {
	case ARG_TENSOR: slot->address = place; break;
	case ARG_SCRATCH: slot->address = cuda_buffer_address(scratch[i]); break;
	case ARG_SCALAR: scalar_store(a->type, a->scalar, slot->bytes); break;
	case ARG_TENSOR_MAP: return cuda_tensor_map_make(d, a, place, &slot->map, e);
	case ARG_BUILTIN:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu: a GPU's kernel finds its block itself", i);
	case ARG_TEXT:
	case ARG_LIST:
	case ARG_NULL:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu is for functions of vendor libraries", i);
	}
	return ASC_OK;
}

static enum asc_status bind(struct device *d, struct device_kernel *kernel, const struct plan *plan,
			    struct device_buffer *const *tensors,
			    struct device_buffer *const *scratch, struct asc_err *e)
{
	struct cuda_kernel *k = (struct cuda_kernel *)kernel;

	if (kernel->vendor) {
		/* With other arguments its library may choose code that is not loaded yet. */
		k->known &= kernel->anywhere;
		return vendor_kernel_bind(kernel->vendor, plan, tensors, scratch, d->stream, e);
	}
	for (size_t i = 0; i < plan->n_arguments; i++)
		if (set_argument(d, k, i, &plan->arguments[i], tensors, scratch, e))
			return e->status;
	return set_launch(d, k, plan, e);
}

/* ---- the kernel ---- */

static const struct kernel_ops ops = {sizeof(struct cuda_kernel), load, unload, bind};
static const struct kernel_ops of_image = {sizeof(struct cuda_kernel), load_image, unload, bind};

enum asc_status cuda_kernel_load(struct device *d, const char *artifact, const char *entry,
				 struct device_kernel **out, struct asc_err *e)
{
	return device_kernel_load(&ops, d, artifact, entry, out, e);
}

enum asc_status cuda_kernel_load_image(struct device *d, const char *image, const char *entry,
				       struct device_kernel **out, struct asc_err *e)
{
	return device_kernel_load(&of_image, d, image, entry, out, e);
}

enum asc_status cuda_kernel_adopt(struct device *d, struct vendor_kernel *v,
				  struct device_kernel **out, struct asc_err *e)
{
	(void)d;
	return device_kernel_adopt(&ops, v, out, e);
}

bool cuda_kernel_is_known(const struct device_kernel *k)
{
	return of(k)->known;
}

enum asc_status cuda_kernels_launch(struct device *d, const struct device_sequence *s,
				    struct asc_err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		struct cuda_kernel *k = (struct cuda_kernel *)s->kernels[i];
		const struct CUlaunchConfig_st *config = (const void *)&k->config;

		/* From here on the stream may be held: this launch loads the code. */
		k->known = true;
		if (k->common.vendor
			    ? vendor_kernel_launch(k->common.vendor, e)
			    : cuda_check(d, d->cu->launch(config, k->function, k->args, NULL),
					 "cuLaunchKernelEx", e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status cuda_kernels_restore(struct device *d, const struct device_sequence *s,
				     struct asc_err *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (cuda_globals_restore(d, &of(s->kernels[i])->globals, e))
			return e->status;
	return ASC_OK;
}

/* ---- graphs ---- */

/* The mode is that of a thread: other threads of a library may go on with what a capture forbids.
 * PyTorch's allocator needs no word of it: nothing else is allocated in the process afterwards. */
enum asc_status cuda_kernels_capture(struct device *d, const struct device_sequence *s,
				     struct asc_err *e)
{
	const struct cuda_driver *cu = d->cu;
	struct CUgraph_st *graph = NULL;

	if (!cu->capture_begin || !cu->capture_end || !cu->graph_make || !cu->graph_launch)
		return asc_err_set(e, ASC_ABSENT, "the driver has no graphs");
	if (cuda_check(d, cu->capture_begin(d->stream, CUDA_CAPTURE_OF_THREAD),
		       "cuStreamBeginCapture", e))
		return e->status;
	const enum asc_status launched = cuda_kernels_launch(d, s, e);
	/* Ends in any case: until then the stream runs nothing. */
	const unsigned rc = cu->capture_end(d->stream, &graph);

	if (launched || cuda_check(d, rc, "cuStreamEndCapture", e))
		return e->status;
	return cuda_check(d, cu->graph_make(&d->graph, graph, 0), "cuGraphInstantiate", e);
}

enum asc_status cuda_kernels_replay(struct device *d, struct asc_err *e)
{
	return cuda_check(d, d->cu->graph_launch(d->graph, d->stream), "cuGraphLaunch", e);
}

/* ---- fewer blocks at a time ---- */

/* Finds how many blocks a multiprocessor holds, each with so much shared memory of the launch's. */
static enum asc_status count_blocks(struct device *d, const struct cuda_kernel *k, int64_t shared,
				    int *blocks, struct asc_err *e)
{
	const unsigned *b = k->config.block;

	return cuda_check(
		d, d->cu->occupancy(blocks, k->function, (int)(b[0] * b[1] * b[2]), (size_t)shared),
		"cuOccupancyMaxActiveBlocksPerMultiprocessor", e);
}

/* Gives the blocks of one kernel as much shared memory as leaves half of them room. *reason: why
 * that changes nothing; NULL: it does. */
static enum asc_status halve(struct device *d, struct cuda_kernel *k, const char **reason,
			     struct asc_err *e)
{
	const int64_t processors = d->info.facts.value[FACT_PROCESSORS];
	const unsigned *grid = k->config.grid;
	int64_t low = k->shared_bytes;
	int64_t high = d->info.facts.value[FACT_BLOCK_SHARED_BYTES] - k->static_shared;
	int now = 0, blocks = 0;

	/* A cooperative launch of more blocks than fit is refused, and a cluster has to fit. */
	for (size_t i = 0; i < k->config.n_attributes; i++)
		if (k->attributes[i].id != CUDA_LAUNCH_PROGRAMMATIC) {
			*reason = "its blocks depend on each other";
			return ASC_OK;
		}
	if (allow_shared(d, k, high, e) || count_blocks(d, k, low, &now, e) ||
	    count_blocks(d, k, high, &blocks, e))
		return e->status;
	const int wanted = now > 1 ? now / 2 : 1;
	*reason = now < 2           ? "a multiprocessor holds one block"
		  : blocks > wanted ? "there is too little shared memory to take"
		  : (int64_t)grid[0] * grid[1] * grid[2] <= wanted * processors
			  ? "the grid has too few blocks"
			  : NULL;
	/* The least that leaves room for no more blocks than wanted: a kernel loses as little of
	 * L1, which the same memory is, as can be. */
	while (!*reason && low + 1 < high) {
		const int64_t middle = low + (high - low) / 2;

		if (count_blocks(d, k, middle, &blocks, e))
			return e->status;
		*(blocks > wanted ? &low : &high) = middle;
	}
	k->config.shared_bytes = *reason ? k->shared_bytes : (unsigned)high;
	return ASC_OK;
}

enum asc_status cuda_kernels_halve(struct device *d, const struct device_sequence *s, bool half,
				   struct asc_err *e)
{
	const char *reason = "a vendor's function makes its own launches";
	bool halved = false;

	for (size_t i = 0; i < s->n; i++) {
		struct cuda_kernel *k = (struct cuda_kernel *)s->kernels[i];

		if (k->common.vendor)
			continue;
		k->config.shared_bytes = k->shared_bytes;
		reason = NULL;
		if (half && halve(d, k, &reason, e))
			return e->status;
		halved |= !reason;
	}
	return halved || !half ? ASC_OK : asc_err_set(e, ASC_ABSENT, "%s", reason);
}

/* Adds the bytes of variables that are put back before each launch, where there are some, and the
 * first thing that a kernel keeps all the same. */
static enum asc_status add_globals(const struct device_sequence *s, struct result *out,
				   struct asc_err *e)
{
	const char *kept = NULL;
	double bytes = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct cuda_globals *g = &of(s->kernels[i])->globals;

		bytes += (double)cuda_globals_bytes(g);
		kept = kept || !*g->kept ? kept : g->kept;
	}
	if (bytes > 0 && result_add_metric(out, RESULT_KERNEL, "global_bytes", bytes, "B", e))
		return e->status;
	return kept ? result_add_missing(out, RESULT_KERNEL, "kept_bytes", "B", kept, e) : ASC_OK;
}

/* Records a thread's registers and local memory (spilled registers and arrays), and a block's
 * shared memory with the part that the launch adds: the most of any kernel. */
enum asc_status cuda_kernel_facts(const struct device_sequence *s, struct result *out,
				  struct asc_err *e)
{
	struct {
		const char *name, *unit;
		double value;
	} facts[] = {{"registers", "1", 0}, {"local_bytes", "B", 0}, {"shared_bytes", "B", 0}};
	bool known = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct cuda_kernel *k = of(s->kernels[i]);
		const double values[] = {k->registers, k->local_bytes,
					 (double)k->static_shared + k->config.shared_bytes};

		for (size_t j = 0; j < sizeof values / sizeof *values && !k->common.vendor; j++)
			facts[j].value = fmax(facts[j].value, values[j]);
		known |= !k->common.vendor;
	}
	for (size_t i = 0; i < sizeof facts / sizeof *facts && known; i++)
		if (result_add_metric(out, RESULT_KERNEL, facts[i].name, facts[i].value,
				      facts[i].unit, e))
			return e->status;
	return add_globals(s, out, e);
}
