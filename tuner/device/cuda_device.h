/* The CUDA device as its files share it: the primary context, one stream, and what launches,
 * copies and clocks need. */
#ifndef ASCTUNE_DEVICE_CUDA_DEVICE_H
#define ASCTUNE_DEVICE_CUDA_DEVICE_H

#include <stdbool.h>

#include "tuner/device/cuda_driver.h"
#include "tuner/device/device.h"

struct cuda_checks;
struct cuda_clock;
struct nvml_device;

enum { CUDA_STAGES = 2, CUDA_STAGE_BYTES = 8 << 20 };

struct device {
	const struct cuda_driver *cu;
	int handle;
	struct CUctx_st *context;
	struct CUstream_st *stream;
	struct device_info info;
	bool lost;                 /* an error that stays: the context is of no more use */
	void *stages[CUDA_STAGES]; /* pinned, for copies in pieces */
	cuda_address cold;         /* what is written to put everything else out of L2 */
	size_t cold_bytes;
	unsigned char cold_byte;
	struct cuda_clock *clock;
	size_t unclocked; /* kernels of our own since the clock was read */
	struct cuda_checks *checks;
	struct nvml_device *nvml; /* NULL: no readings */
	int64_t throttled;        /* readings of a clock that was lowered to keep cool */
};

/* As cuda_driver_check(), and notes whether the error is one that stays. */
enum asc_status cuda_check(struct device *d, unsigned rc, const char *what, struct asc_err *e);

/* Waits for all that was asked of the device. */
enum asc_status cuda_wait(struct device *d, const char *what, struct asc_err *e);

#endif
