/* Facts of an NPU, without opening it; the runtime is initialised. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_INFO_H
#define ASCTUNE_DEVICE_NPU_NPU_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct device_info;

/* Operations as in device_ops. */
bool npu_info_check(char *reason, size_t size);
int npu_info_count(void);
enum asc_status npu_info_read(const char *place, struct device_info *out, struct asc_err *e);

/* Finds the number of the device at `place`, as device_ops.inspect fails. */
enum asc_status npu_info_find(const char *place, int *number, struct asc_err *e);

#endif
