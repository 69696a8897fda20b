/* Looking at memory where it lies: kernels of our own, compiled for the device at hand in a thread
 * while the inputs are made.
 *
 * Without NVRTC a digest is worked out from what is read back, and comparing is ASC_ABSENT. */
#ifndef ASCTUNE_DEVICE_CUDA_CHECKS_H
#define ASCTUNE_DEVICE_CUDA_CHECKS_H

#include "tuner/device/cuda_device.h"

/* Begins to compile; ASC_NOMEM. */
enum asc_status cuda_checks_begin(struct device *d, struct asc_err *e);
void cuda_checks_end(struct device *d);

/* A number that is another one, but for a chance of 2^-64, when a bit of the `bytes` at `at` is. To
 * be compared with those of this device and process only. `at` is aligned to 8 bytes. */
enum asc_status cuda_checks_digest(struct device *d, cuda_address at, size_t bytes, uint64_t *out,
				   struct asc_err *e);

/* As in device_ops. */
enum asc_status cuda_checks_compare(struct device *d, const struct device_buffer *b,
				    const struct device_buffer *reference,
				    const struct device_tolerance *how,
				    struct device_difference *out, struct asc_err *e);

#endif
