/* Memory of an NPU, each buffer between zones of a pattern that no kernel may write to. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_BUFFER_H
#define ASCTUNE_DEVICE_NPU_NPU_BUFFER_H

#include "tuner/device/npu/npu_device.h"

/* Operations as in device_ops. What a kernel has done to a buffer is found by reading it back. */
enum asc_status npu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e);

/* Pinned memory of the host, for operands of vendor calls. Kernels do not reach it. */
enum asc_status npu_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				      struct asc_err *e);
void npu_buffer_release(struct device *d, struct device_buffer *b);
enum asc_status npu_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				 size_t bytes, struct asc_err *e);
enum asc_status npu_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				size_t bytes, struct asc_err *e);
enum asc_status npu_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				struct asc_err *e);
enum asc_status npu_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				   struct asc_err *e);
enum asc_status npu_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				enum device_harm *harms, struct asc_err *e);
void *npu_buffer_address(const struct device_buffer *b);

#endif
