/* Kernels of our own, compiled at run time by NVRTC for the device at hand. */
#ifndef ASCTUNE_DEVICE_CUDA_COMPILE_H
#define ASCTUNE_DEVICE_CUDA_COMPILE_H

#include "tuner/base/err.h"

struct buf;

/* Appends the cubin of `source` (CUDA C++ without headers) for "sm_90a". Products and sums are not
 * fused unless the source says so. ASC_ABSENT when there is no compiler, or it refuses: the text is
 * ours, so it is too old for the device, say. */
enum asc_status cuda_compile(const char *arch, const char *source, struct buf *image,
			     struct asc_err *e);

#endif
