/* Memory of a GPU. None of it can be protected against the kernels of its own context.
 *
 * A buffer in the host's memory is pinned and has the same address here and there; it is read and
 * written here. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_BUFFER_H
#define ASCTUNE_DEVICE_CUDA_CUDA_BUFFER_H

#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/device_buffer.h"

/* Operations as in device_ops. */
enum asc_status cuda_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				  struct asc_err *e);
enum asc_status cuda_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				       struct asc_err *e);
enum asc_status cuda_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				  struct asc_err *e);
enum asc_status cuda_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				  struct asc_err *e);
enum asc_status cuda_buffer_take(struct device *d, void *to, void *from, size_t bytes, int byte,
				 struct asc_err *e);
void *cuda_buffer_pointer(const struct device_buffer *b); /* device_ops.address */

cuda_address cuda_buffer_address(const struct device_buffer *b); /* 0 for NULL */
cuda_address cuda_range_address(const struct device_range *r);

/* Copies through pinned memory, in pieces; on return the data is there. */
enum asc_status cuda_copy_out(struct device *d, cuda_address from, void *to, size_t bytes,
			      struct asc_err *e);

#endif
