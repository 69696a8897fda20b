/* Memory of a GPU between two zones of 64 KiB that hold a pattern: cuda_buffer_look() notices what
 * a kernel writes there.
 *
 * A buffer in the host's memory is pinned and has the same address here and there; it is read and
 * written here.
 *
 * GPU memory cannot be protected against the kernels of its own context: a read-only buffer has a
 * digest of its contents, with which cuda_buffer_look() compares. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_BUFFER_H
#define ASCTUNE_DEVICE_CUDA_CUDA_BUFFER_H

#include "tuner/device/cuda/cuda_device.h"

/* Operations as in device_ops. */
enum asc_status cuda_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				  struct asc_err *e);
enum asc_status cuda_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				       struct asc_err *e);
void cuda_buffer_release(struct device *d, struct device_buffer *b);
enum asc_status cuda_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				  size_t bytes, struct asc_err *e);
enum asc_status cuda_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				 size_t bytes, struct asc_err *e);
enum asc_status cuda_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				 struct asc_err *e);
enum asc_status cuda_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				    struct asc_err *e);
enum asc_status cuda_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				 enum device_harm *harms, struct asc_err *e);
void *cuda_buffer_pointer(const struct device_buffer *b); /* device_ops.address */

cuda_address cuda_buffer_address(const struct device_buffer *b); /* 0 for NULL */

/* Copies through pinned memory, in pieces; on return the data is there. */
enum asc_status cuda_copy_out(struct device *d, cuda_address from, void *to, size_t bytes,
			      struct asc_err *e);

#endif
