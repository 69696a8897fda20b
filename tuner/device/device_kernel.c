#include "tuner/device/device_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/vendor/vendor.h"

static struct device_kernel *kernel_new(const struct kernel_ops *ops, struct vendor_kernel *v)
{
	const size_t bytes = (ops->kernel_bytes + DEVICE_KERNEL_ALIGN - 1) / DEVICE_KERNEL_ALIGN *
			     DEVICE_KERNEL_ALIGN;
	struct device_kernel *k = aligned_alloc(DEVICE_KERNEL_ALIGN, bytes);

	if (!k)
		return NULL;
	memset(k, 0, bytes);
	k->ops = ops;
	k->vendor = v;
	k->anywhere = v && vendor_is_anywhere(v);
	return k;
}

enum asc_status device_kernel_load(const struct kernel_ops *ops, struct device *d,
				   const char *artifact, const char *entry,
				   struct device_kernel **out, struct asc_err *e)
{
	struct device_kernel *k = kernel_new(ops, NULL);

	*out = NULL;
	if (!k)
		return asc_err_nomem(e);
	if (ops->load(d, k, artifact, entry, e)) {
		device_kernel_unload(d, k);
		return e->status;
	}
	*out = k;
	return ASC_OK;
}

enum asc_status device_kernel_adopt(const struct kernel_ops *ops, struct vendor_kernel *v,
				    struct device_kernel **out, struct asc_err *e)
{
	*out = kernel_new(ops, v);
	return *out ? ASC_OK : asc_err_nomem(e);
}

void device_kernel_unload(struct device *d, struct device_kernel *k)
{
	if (!k)
		return;
	k->ops->unload(d, k);
	vendor_kernel_free(k->vendor);
	free(k);
}

enum asc_status device_kernel_bind(struct device *d, struct device_kernel *k,
				   const struct plan *plan, struct device_buffer *const *tensors,
				   struct device_buffer *const *scratch, struct asc_err *e)
{
	/* A bind that fails has changed some arguments: the earlier ones are of no more use. */
	k->bound = false;
	k->pieces = 0;
	if (k->ops->bind(d, k, plan, tensors, scratch, e))
		return e->status;
	k->bound = true;
	return ASC_OK;
}

struct device_kernel *device_kernel_anywhere(const struct device_sequence *s)
{
	for (size_t i = 0; s->kernels && i < s->n; i++)
		if (s->kernels[i]->anywhere)
			return s->kernels[i];
	return NULL;
}

enum asc_status device_check_bound(const struct device_sequence *s, struct asc_err *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->kernels[i]->bound)
			return asc_err_set(e, ASC_USAGE, "the kernel has no arguments bound");
	return ASC_OK;
}
