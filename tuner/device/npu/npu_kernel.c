#include "tuner/device/npu/npu_kernel.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/mspti.h"
#include "tuner/device/npu/npu_buffer.h"
#include "tuner/device/vendor/vendor.h"

enum {
	HEAD_BYTES = 3 * 8, /* address for synchronisation, lock, workspace */
	GRID_BYTES = 3 * 4,
	BLOCK_BYTES = HEAD_BYTES + 8 * PLAN_MAX_ARGUMENTS + GRID_BYTES,
	LABEL_SIZE = 160,
	MAX_STUBS = 1 << 16
};

struct npu_kernel {
	struct device_kernel common;
	_Alignas(8) unsigned char block[BLOCK_BYTES]; /* arguments as the kernel finds them */
	size_t block_bytes;
	uint32_t blocks; /* of a launch */
	void *binary;
	void *function;   /* what is launched: a function, or the stub that stands for one */
	struct buf image; /* of the binary, where the runtime reads it as long as it is loaded */
	char label[LABEL_SIZE]; /* for profilers: entry and artifact */
	/* Number of kernels with records in a launch of `recorded_of` kernels that this one begins;
	 * 0: not known. */
	size_t recorded, recorded_of;
	const struct plan *plan; /* that it was bound to: another may have other kernels; lent */
};

static const struct npu_kernel *of(const struct device_kernel *k)
{
	return (const struct npu_kernel *)k;
}

/* One way of loading and launching. */
struct npu_loader {
	enum asc_status (*load)(struct device *d, struct npu_kernel *k, const char *path,
				const char *entry, struct asc_err *e);
	int (*launch)(struct device *d, struct npu_kernel *k);
	void (*unload)(struct device *d, void *binary);
	enum asc_status (*sync_address)(struct device *d, uint64_t *out, struct asc_err *e);
};

/* ---- by aclrt ---- */

static enum asc_status acl_load(struct device *d, struct npu_kernel *k, const char *path,
				const char *entry, struct asc_err *e)
{
	char whole[PATH_MAX];

	if (!realpath(path, whole))
		return asc_err_set(e, ASC_IO, "the file cannot be found");
	/* The runtime opens the file itself, perhaps from elsewhere: an absolute path. */
	if (npu_check(d, d->acl->binary_load(whole, NULL, &k->binary), "aclrtBinaryLoadFromFile",
		      e))
		return e->status;
	return npu_check(d, d->acl->binary_function(k->binary, entry, &k->function),
			 "aclrtBinaryGetFunction", e);
}

static int acl_launch(struct device *d, struct npu_kernel *k)
{
	return d->acl->launch(k->function, k->blocks, d->stream, NULL, k->block, k->block_bytes,
			      NULL, 0);
}

static void acl_unload(struct device *d, void *binary)
{
	(void)d->acl->binary_unload(binary);
}

static enum asc_status acl_sync_address(struct device *d, uint64_t *out, struct asc_err *e)
{
	void *at = NULL;
	const enum asc_status s =
		npu_check(d, d->acl->sync_address(&at), "aclrtGetHardwareSyncAddr", e);

	memcpy(out, &at, sizeof *out);
	return s;
}

static const struct npu_loader loader_acl = {acl_load, acl_launch, acl_unload, acl_sync_address};

/* ---- by rt, below it ---- */

/* A function is launched by an address of the host that stands for it. Addresses are not used
 * again soon: the runtime refuses one that is still registered. */
static char stubs[MAX_STUBS];
static size_t n_stubs;

static enum asc_status rt_register(struct device *d, struct npu_kernel *k, uint32_t magic,
				   const char *entry, struct asc_err *e)
{
	const struct rt_binary binary = {
		.magic = magic, .data = k->image.data, .length = k->image.len};
	char name[40];

	if (npu_check(d, d->rt->binary_register(&binary, &k->binary), "rtDevBinaryRegister", e))
		return e->status;
	k->function = &stubs[n_stubs % MAX_STUBS];
	(void)snprintf(name, sizeof name, "asctune_%zu", n_stubs++);
	if (npu_check(d, d->rt->function_register(k->binary, k->function, name, entry, 0),
		      "rtFunctionRegister", e) == ASC_OK)
		return ASC_OK;
	(void)d->rt->binary_unregister(k->binary);
	k->binary = NULL;
	return e->status;
}

/* A binary with a kernel that runs on vector cores alone has a magic of its own: the runtime
 * refuses such a kernel in another binary. */
static enum asc_status rt_load(struct device *d, struct npu_kernel *k, const char *path,
			       const char *entry, struct asc_err *e)
{
	struct asc_err refused;

	if (file_read(path, 0, &k->image, e))
		return e->status;
	if (rt_register(d, k, NPU_MAGIC_AICORE, entry, e) == ASC_OK)
		return ASC_OK;
	/* The first refusal is the one to report: most kernels are of the first kind. */
	return rt_register(d, k, NPU_MAGIC_VECTOR, entry, &refused) ? e->status : ASC_OK;
}

static int rt_launch(struct device *d, struct npu_kernel *k)
{
	return d->rt->launch(k->function, k->blocks, k->block, (uint32_t)k->block_bytes, NULL,
			     d->stream);
}

static void rt_unload(struct device *d, void *binary)
{
	(void)d->rt->binary_unregister(binary);
}

static enum asc_status rt_sync_address(struct device *d, uint64_t *out, struct asc_err *e)
{
	uint32_t bytes = 0;

	return npu_check(d, d->rt->sync_address(out, &bytes), "rtGetC2cCtrlAddr", e);
}

static const struct npu_loader loader_rt = {rt_load, rt_launch, rt_unload, rt_sync_address};

enum asc_status npu_kernel_choose_loader(struct device *d, struct asc_err *e)
{
	const struct acl_runtime *acl = d->acl;

	d->loader = &loader_acl;
	if (acl->binary_load && acl->binary_unload && acl->binary_function && acl->launch &&
	    acl->sync_address)
		return ASC_OK;
	d->loader = &loader_rt;
	return rt_open(&d->rt, e) ? asc_err_wrap(e, "this CANN has no aclrtBinaryLoadFromFile")
				  : ASC_OK;
}

/* ---- loading ---- */

static enum asc_status load(struct device *d, struct device_kernel *kernel, const char *artifact,
			    const char *entry, struct asc_err *e)
{
	struct npu_kernel *k = (struct npu_kernel *)kernel;

	(void)snprintf(k->label, sizeof k->label, "%.80s %.70s", entry, path_name(artifact));
	if (d->loader->load(d, k, artifact, entry, e))
		return strstr(e->text, artifact) ? e->status : asc_err_wrap(e, "%s", artifact);
	return ASC_OK;
}

/* Nothing that may still run is unloaded. */
static void unload(struct device *d, struct device_kernel *kernel)
{
	struct npu_kernel *k = (struct npu_kernel *)kernel;
	struct asc_err e;

	if (d->in_range == kernel) {
		mstx_end();
		d->in_range = NULL;
	}
	if (!d->lost)
		(void)npu_wait(d, "a kernel that is unloaded", &e);
	if (k->binary && !d->lost)
		d->loader->unload(d, k->binary);
	/* The runtime reads the image as long as the binary is loaded. */
	buf_fini(&k->image);
}

/* ---- arguments: one packed block, as kernels of Triton take it ---- */

static void put(struct npu_kernel *k, const void *value, size_t bytes, size_t align)
{
	const size_t at = (k->block_bytes + align - 1) / align * align;

	memset(k->block + k->block_bytes, 0, at - k->block_bytes);
	memcpy(k->block + at, value, bytes);
	k->block_bytes = at + bytes;
}

static void put_address(struct npu_kernel *k, const void *at)
{
	put(k, &at, sizeof at, sizeof at);
}

static enum asc_status put_argument(struct npu_kernel *k, size_t i, const struct bound_argument *a,
				    struct device_buffer *const *tensors,
				    struct device_buffer *const *scratch, struct asc_err *e)
{
	/* Truths are passed as i32, short floats as f32. */
	const bool is_short_float = dtype_is_float(a->type) && dtype_bytes(a->type) < 4;
	const enum dtype type = a->type == DTYPE_BOOL ? DTYPE_I32
				: is_short_float      ? DTYPE_F32
						      : a->type;
	unsigned char value[SCALAR_MAX_BYTES];

	switch (a->kind) {
	case ARG_TENSOR:
		put_address(k, device_buffer_place(npu_buffer_address(tensors[a->tensor]), a));
		break;
	case ARG_SCRATCH: put_address(k, npu_buffer_address(scratch[i])); break;
	case ARG_SCALAR:
		scalar_store(type, a->scalar, value);
		/* 64 bits lie at a multiple of 8, all else at one of 4. */
		put(k, value, dtype_bytes(type), dtype_bytes(type) == 8 ? 8 : 4);
		break;
	case ARG_TENSOR_MAP:
		return asc_err_set(e, ASC_INPUT, "argument %zu: an NPU has no tensor maps", i);
	case ARG_BUILTIN:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu: an NPU's kernel finds its block itself", i);
	case ARG_TEXT:
	case ARG_LIST:
	case ARG_NULL:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu is for functions of vendor libraries", i);
	}
	return ASC_OK;
}

/* Puts what stands before the workload's arguments: lock and workspace are none. */
static enum asc_status put_head(struct device *d, struct npu_kernel *k, struct asc_err *e)
{
	const struct facts *f = &d->info.facts;
	const int64_t arch = f->known[FACT_NPU_ARCH] ? f->value[FACT_NPU_ARCH] : 0;
	const uint64_t none = 0;
	uint64_t address = 0;

	k->block_bytes = 0;
	/* Cube and vector cores meet at an address that kernels are given first, but for those of
	 * 950 and 310B. */
	if (arch != 3510 && arch != 3002) {
		if (d->loader->sync_address(d, &address, e))
			return e->status;
		put(k, &address, sizeof address, sizeof address);
	}
	put(k, &none, sizeof none, sizeof none);
	put(k, &none, sizeof none, sizeof none);
	return ASC_OK;
}

static enum asc_status check_grid(const struct plan *plan, uint32_t *blocks, struct asc_err *e)
{
	const int64_t *g = plan->grid;
	int64_t n = 1;

	for (size_t i = 0; i < 3; i++)
		n = g[i] >= 1 && g[i] <= NPU_MAX_BLOCKS && n * g[i] <= NPU_MAX_BLOCKS ? n * g[i]
										      : 0;
	*blocks = (uint32_t)n;
	if (n > 0)
		return ASC_OK;
	return asc_err_set(e, ASC_LIMIT,
			   "cannot launch a grid of %lld x %lld x %lld: expected 1 to %d blocks in "
			   "all (coreDim has 16 bits)",
			   (long long)g[0], (long long)g[1], (long long)g[2], NPU_MAX_BLOCKS);
}

static enum asc_status bind(struct device *d, struct device_kernel *kernel, const struct plan *plan,
			    struct device_buffer *const *tensors,
			    struct device_buffer *const *scratch, struct asc_err *e)
{
	struct npu_kernel *k = (struct npu_kernel *)kernel;

	/* Another grid may be split into another number of kernels, other addresses are not. */
	if (k->plan != plan)
		k->recorded = 0;
	k->plan = plan;
	if (kernel->vendor)
		return vendor_kernel_bind(kernel->vendor, plan, tensors, scratch, d->stream, e);
	if (check_grid(plan, &k->blocks, e) || put_head(d, k, e))
		return e->status;
	for (size_t i = 0; i < plan->n_arguments; i++)
		if (put_argument(k, i, &plan->arguments[i], tensors, scratch, e))
			return e->status;
	for (size_t i = 0; i < 3; i++) {
		const int32_t n = (int32_t)plan->grid[i];

		put(k, &n, sizeof n, sizeof n);
	}
	return ASC_OK;
}

/* ---- the kernel ---- */

static const struct kernel_ops ops = {sizeof(struct npu_kernel), load, unload, bind};

enum asc_status npu_kernel_load(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e)
{
	return device_kernel_load(&ops, d, artifact, entry, out, e);
}

enum asc_status npu_kernel_adopt(struct device *d, struct vendor_kernel *v,
				 struct device_kernel **out, struct asc_err *e)
{
	(void)d;
	return device_kernel_adopt(&ops, v, out, e);
}

/* ---- launching ---- */

size_t npu_kernels_least(const struct device_sequence *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !s->kernels[i]->vendor;
	return n;
}

size_t npu_kernels_recorded(const struct device_sequence *s)
{
	const struct npu_kernel *k = of(s->kernels[0]);

	return k->recorded_of == s->n ? k->recorded : 0;
}

void npu_kernels_set_recorded(const struct device_sequence *s, size_t n)
{
	struct npu_kernel *k = (struct npu_kernel *)s->kernels[0];

	k->recorded = n;
	k->recorded_of = s->n;
}

enum asc_status npu_kernels_launch(struct device *d, const struct device_sequence *s,
				   struct asc_err *e)
{
	const struct device_kernel *first = s->kernels[0];

	/* One range for launches of the same kernel in a row: ranges cost time. */
	if (d->in_range != first)
		mstx_begin(first->vendor ? "vendor" : of(first)->label);
	d->in_range = first;
	for (size_t i = 0; i < s->n; i++) {
		struct npu_kernel *k = (struct npu_kernel *)s->kernels[i];
		struct asc_err after;

		if (!k->common.vendor) {
			if (npu_check(d, d->loader->launch(d, k), "the launch", e))
				return e->status;
			continue;
		}
		if (!vendor_kernel_launch(k->common.vendor, e))
			continue;
		/* A vendor's function says nothing of the context, which an earlier kernel may have
		 * broken: a wait does. */
		(void)npu_wait(d, "the launch", &after);
		return e->status;
	}
	return ASC_OK;
}
