/* Descriptors for the bulk copies of tiles (the tensor memory accelerator of Hopper and newer). */
#ifndef ASCTUNE_DEVICE_CUDA_TENSOR_MAP_H
#define ASCTUNE_DEVICE_CUDA_TENSOR_MAP_H

#include "tuner/device/cuda_device.h"

/* Of the tensor at `at` as `a`, an ARG_TENSOR_MAP, says: row by row, without steps between
 * elements, zeros outside. ASC_LIMIT for what the hardware cannot describe: more than 5 dimensions,
 * a box side over 256, rows that are no multiple of 16 bytes (CUDA driver API,
 * cuTensorMapEncodeTiled). */
enum asc_status cuda_tensor_map_make(struct device *d, const struct bound_argument *a,
				     cuda_address at, struct cuda_tensor_map *out,
				     struct asc_err *e);

#endif
