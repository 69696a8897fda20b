/* Kernels on an NPU: binaries of the vendor's compiler, and functions of vendor libraries. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_KERNEL_H
#define ASCTUNE_DEVICE_NPU_NPU_KERNEL_H

#include "tuner/device/device_kernel.h"
#include "tuner/device/npu/npu_device.h"

/* Chooses how kernels are loaded and launched: by aclrtBinary* and aclrtLaunchKernel* (CANN 8.5),
 * else by the functions below them, in libruntime.so. ASC_ABSENT where neither is here. */
enum asc_status npu_kernel_choose_loader(struct device *d, struct asc_err *e);

/* Operations as in device_ops. A bound grid has 1 to 65535 blocks in all. */
enum asc_status npu_kernel_load(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e);
enum asc_status npu_kernel_adopt(struct device *d, struct vendor_kernel *v,
				 struct device_kernel **out, struct asc_err *e);

/* Number of kernels that a launch has at least: one for each binary; a vendor's function may have
 * any number. */
size_t npu_kernels_least(const struct device_sequence *s);

/* Number of kernels that the clock's records have of each launch since the kernels were bound; 0:
 * not known yet. */
size_t npu_kernels_recorded(const struct device_sequence *s);
void npu_kernels_set_recorded(const struct device_sequence *s, size_t n);

/* Puts one launch into the stream, in a range of the vendor's profilers that names it. */
enum asc_status npu_kernels_launch(struct device *d, const struct device_sequence *s,
				   struct asc_err *e);

#endif
