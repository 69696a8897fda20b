/* Checks of memory where it lies: kernels of asctune, compiled for the device at hand in a thread
 * while the inputs are made. Without NVRTC sums are worked out from what is read back, and
 * comparing is ASC_ABSENT. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_CHECKS_H
#define ASCTUNE_DEVICE_CUDA_CUDA_CHECKS_H

#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/device_buffer.h"

/* Begins to compile in a thread. Fails only with ASC_NOMEM. */
enum asc_status cuda_checks_begin(struct device *d, struct asc_err *e);
void cuda_checks_end(struct device *d);

/* device_memory.sum; more ranges than one launch takes are summed up by several. */
enum asc_status cuda_checks_sum(struct device *d, const struct device_range *ranges, size_t n,
				const char *what, uint64_t *sums, struct asc_err *e);

/* Operation as in device_ops, by reading several times as much memory as the cache holds: a flush
 * by writing leaves a cache full of lines that the next kernel has to write back. The cache is full
 * of other lines afterwards, not without any: a kernel that writes has some of its lines written
 * earlier than in an invalid cache (7 of 16 MB on an H100, where ncu, which invalidates, finds
 * none). Discarding the lines changes nothing there; loads marked evict_first make it worse.
 * Without NVRTC, or memory, it is a flush by writing. */
enum asc_status cuda_checks_empty(struct device *d, struct asc_err *e);

/* Operation as in device_ops. */
enum asc_status cuda_checks_compare(struct device *d, const struct device_buffer *b,
				    const struct device_buffer *reference,
				    const struct device_tolerance *how,
				    struct device_difference *out, struct asc_err *e);

/* Text of the kernels, CUDA C++ without headers. */
enum { CHECKS_THREADS = 256, CHECKS_AT_ONCE = 4 }; /* THREADS, AT_ONCE of the source */

extern const char cuda_checks_prelude[]; /* to stand before the others, in any order */
extern const char cuda_compare_source[];
extern const char cuda_sums_source[];
extern const char cuda_empty_source[];

#endif
