/* Memory of an NPU. What a kernel has done to a buffer is found by reading it back. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_BUFFER_H
#define ASCTUNE_DEVICE_NPU_NPU_BUFFER_H

#include "tuner/device/device_buffer.h"
#include "tuner/device/npu/npu_device.h"

/* Operations as in device_ops. */
enum asc_status npu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e);

/* Pinned memory of the host, for operands of vendor calls. Kernels do not reach it. */
enum asc_status npu_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				      struct asc_err *e);
enum asc_status npu_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				 struct asc_err *e);
enum asc_status npu_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e);
void *npu_buffer_address(const struct device_buffer *b);

#endif
