/* Description of a GPU, read from its driver without a context. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_INFO_H
#define ASCTUNE_DEVICE_CUDA_CUDA_INFO_H

#include "tuner/device/device.h"

/* Checks that there is a GPU; `reason` says why not. */
bool cuda_info_check(char *reason, size_t size);
int cuda_info_count(void);

/* Finds the driver's handle of the device at `place`; errors as of device_ops.inspect. */
enum asc_status cuda_info_find(const char *place, int *device, struct asc_err *e);

/* Fills and seals *out; errors as of device_ops.inspect. */
enum asc_status cuda_info_read(const char *place, struct device_info *out, struct asc_err *e);

#endif
