/* Empties a GPU's L2 cache of what launches left there, by writing twice its size. */
#ifndef ASCTUNE_DEVICE_CUDA_FLUSH_H
#define ASCTUNE_DEVICE_CUDA_FLUSH_H

#include "tuner/device/cuda_device.h"

/* Puts the writing into the stream, with a byte that changes each time; does not wait. The memory
 * is taken the first time. */
enum asc_status cuda_flush_queue(struct device *d, struct asc_err *e);
void cuda_flush_free(struct device *d);

#endif
