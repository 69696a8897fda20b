#include "tuner/device/cuda_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/device/cuda_buffer.h"
#include "tuner/device/cuda_tensor_map.h"
#include "tuner/device/scalar.h"
#include "tuner/device/vendor.h"

enum { PLAIN_SHARED_BYTES = 48 << 10, MAX_AXIS_YZ = 65535, PORTABLE_CLUSTER = 8 };

union slot {
	struct cuda_tensor_map map;
	cuda_address address;
	unsigned char bytes[SCALAR_MAX_BYTES];
};

struct device_kernel {
	struct CUmod_st *module;
	struct CUfunc_st *function;
	const struct vendor_ops *vendor; /* instead of both */
	const char *vendor_function;     /* borrowed from its list */
	struct vendor_call *call;
	int threads, static_shared, local_bytes, registers; /* of the function */
	bool bound, known;
	struct cuda_launch_config config;
	struct cuda_launch_attribute attributes[2];
	union slot slots[WORKLOAD_MAX_ARGUMENTS];
	void *args[WORKLOAD_MAX_ARGUMENTS];
};

/* ---- loading ---- */

static void unbind(struct device_kernel *k)
{
	if (k->call && k->vendor->fini)
		k->vendor->fini(k->call);
	k->call = NULL;
	k->bound = false;
}

void cuda_kernel_unload(struct device *d, struct device_kernel *k)
{
	if (!k)
		return;
	unbind(k);
	if (k->module)
		(void)d->cu->module_unload(k->module);
	free(k);
}

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

static enum asc_status read_attributes(struct device *d, struct device_kernel *k, struct asc_err *e)
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

static enum asc_status load_file(struct device *d, struct device_kernel *k, const char *artifact,
				 const char *entry, struct asc_err *e)
{
	struct buf image = {0};
	enum asc_status s = file_read(artifact, 0, &image, e);

	if (!s)
		s = cuda_module_load(d, buf_str(&image), entry, &k->module, &k->function, e);
	buf_fini(&image);
	if (!s)
		s = read_attributes(d, k, e);
	return s && !strstr(e->text, artifact) ? asc_err_wrap(e, "%s", artifact) : s;
}

static enum asc_status load_vendor(struct device_kernel *k, const char *source, const char *entry,
				   struct asc_err *e)
{
	char reason[512];

	if (!vendor_check(source, entry, "cuda", reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "%s", reason);
	k->vendor = vendor_find(source);
	k->vendor_function = vendor_function(k->vendor, entry);
	return ASC_OK;
}

enum asc_status cuda_kernel_load(struct device *d, const char *artifact, const char *entry,
				 struct device_kernel **out, struct asc_err *e)
{
	struct device_kernel *k = aligned_alloc(_Alignof(struct device_kernel), sizeof *k);

	*out = NULL;
	if (!k)
		return asc_err_nomem(e);
	memset(k, 0, sizeof *k);
	if (strchr(artifact, '/') ? load_file(d, k, artifact, entry, e)
				  : load_vendor(k, artifact, entry, e)) {
		cuda_kernel_unload(d, k);
		return e->status;
	}
	*out = k;
	return ASC_OK;
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

static enum asc_status check_block(const struct device_kernel *k, const struct plan *plan,
				   struct asc_err *e)
{
	int64_t threads = product(plan->block);

	if (threads < 1 || threads > k->threads)
		return asc_err_set(e, ASC_LIMIT,
				   "a block of %lld threads: with its %d registers a thread this "
				   "kernel has at most %d",
				   (long long)threads, k->registers, k->threads);
	return ASC_OK;
}

/* More than the plain amount has to be asked for. */
static enum asc_status reserve_shared(struct device *d, const struct device_kernel *k,
				      const struct plan *plan, struct asc_err *e)
{
	char wanted[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
	int64_t all = plan->shared_bytes + k->static_shared;
	int64_t limit = d->info.facts.value[FACT_BLOCK_SHARED_BYTES];

	if (all > limit)
		return asc_err_set(e, ASC_LIMIT,
				   "a block wants %s of shared memory and can have %s",
				   units_print_bytes((double)all, wanted),
				   units_print_bytes((double)limit, most));
	if (all <= PLAIN_SHARED_BYTES)
		return ASC_OK;
	return cuda_check(d,
			  d->cu->function_set(k->function, CUDA_FUNCTION_MAX_DYNAMIC,
					      (int)plan->shared_bytes),
			  "cuFuncSetAttribute", e);
}

static enum asc_status add_attributes(struct device *d, struct device_kernel *k,
				      const struct plan *plan, struct asc_err *e)
{
	int64_t blocks = product(plan->cluster);

	k->config.attributes = k->attributes;
	if (plan->cooperative)
		k->attributes[k->config.n_attributes++] = (struct cuda_launch_attribute){
			.id = CUDA_LAUNCH_COOPERATIVE, .value.cooperative = 1};
	if (blocks <= 1)
		return ASC_OK;
	k->attributes[k->config.n_attributes++] = (struct cuda_launch_attribute){
		.id = CUDA_LAUNCH_CLUSTER,
		.value.cluster = {(unsigned)plan->cluster[0], (unsigned)plan->cluster[1],
				  (unsigned)plan->cluster[2]}};
	if (blocks <= PORTABLE_CLUSTER)
		return ASC_OK;
	return cuda_check(d, d->cu->function_set(k->function, CUDA_FUNCTION_BIG_CLUSTERS, 1),
			  "cuFuncSetAttribute", e);
}

static enum asc_status set_launch(struct device *d, struct device_kernel *k,
				  const struct plan *plan, struct asc_err *e)
{
	if (check_grid(plan, e) || check_block(k, plan, e) || reserve_shared(d, k, plan, e))
		return e->status;
	k->config = (struct cuda_launch_config){.shared_bytes = (unsigned)plan->shared_bytes,
						.stream = d->stream};
	for (size_t i = 0; i < 3; i++) {
		k->config.grid[i] = (unsigned)plan->grid[i];
		k->config.block[i] = (unsigned)plan->block[i];
	}
	return add_attributes(d, k, plan, e);
}

/* ---- arguments ---- */

static enum asc_status set_argument(struct device *d, struct device_kernel *k, size_t i,
				    const struct bound_argument *a,
				    struct device_buffer *const *tensors,
				    struct device_buffer *const *scratch, struct asc_err *e)
{
	union slot *slot = &k->slots[i];

	k->args[i] = slot;
	switch (a->kind) {
	case ARG_TENSOR: slot->address = cuda_buffer_address(tensors[a->tensor]); break;
	case ARG_SCRATCH: slot->address = cuda_buffer_address(scratch[i]); break;
	case ARG_SCALAR: scalar_store(a->type, a->scalar, slot->bytes); break;
	case ARG_TENSOR_MAP:
		return cuda_tensor_map_make(d, a, cuda_buffer_address(tensors[a->tensor]),
					    &slot->map, e);
	case ARG_BUILTIN:
		return asc_err_set(e, ASC_INPUT, "argument %zu: a GPU's kernel knows its block", i);
	}
	return ASC_OK;
}

static enum asc_status bind_vendor(struct device *d, struct device_kernel *k,
				   const struct plan *plan, struct asc_err *e)
{
	const struct vendor_site site = {.plan = plan, .args = k->args, .stream = d->stream};

	return k->vendor->prepare(&site, k->vendor_function, &k->call, e);
}

enum asc_status cuda_kernel_bind(struct device *d, struct device_kernel *k, const struct plan *plan,
				 struct device_buffer *const *tensors,
				 struct device_buffer *const *scratch, struct asc_err *e)
{
	unbind(k);
	for (size_t i = 0; i < plan->n_arguments; i++)
		if (set_argument(d, k, i, &plan->arguments[i], tensors, scratch, e))
			return e->status;
	if (k->vendor ? bind_vendor(d, k, plan, e) : set_launch(d, k, plan, e))
		return e->status;
	k->bound = true;
	return ASC_OK;
}

bool cuda_kernel_is_bound(const struct device_kernel *k)
{
	return k->bound;
}

bool cuda_kernel_is_known(const struct device_kernel *k)
{
	return k->known;
}

enum asc_status cuda_kernel_launch(struct device *d, struct device_kernel *k, struct asc_err *e)
{
	const struct CUlaunchConfig_st *config = (const void *)&k->config;

	k->known = true;
	if (k->vendor)
		return k->vendor->enqueue(k->call, e);
	return cuda_check(d, d->cu->launch(config, k->function, k->args, NULL), "cuLaunchKernelEx",
			  e);
}

void cuda_kernel_use(const struct device_kernel *k, struct device_use *out)
{
	*out = (struct device_use){-1, -1, -1};
	if (k->vendor)
		return;
	out->registers = k->registers;
	out->local_bytes = k->local_bytes;
	out->shared_bytes = k->static_shared + (int64_t)k->config.shared_bytes;
}
