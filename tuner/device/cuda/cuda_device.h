/* State of a CUDA device that its files share: the primary context, one stream, and what launches,
 * copies and clocks need. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_DEVICE_H
#define ASCTUNE_DEVICE_CUDA_CUDA_DEVICE_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/device/clock.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/cuda_driver.h"

struct buf;
struct cuda_checks;
struct cuda_clock;
struct cuda_globals;
struct nvml_device;

enum { CUDA_STAGES = 2, CUDA_STAGE_BYTES = 8 << 20 };

/* Pages of a GPU's memory: what is no multiple of them shares its last page with other allocations,
 * or with nobody, where kernels may leave what no one looks at. */
enum { CUDA_PAGE_BYTES = 2 << 20 };

struct device {
	struct clocked_device queue; /* first, where device/clock looks for it */
	const struct cuda_driver *cu;
	int handle;
	bool lost;      /* set by an error that stays: the context is of no more use */
	bool persists;  /* lines of L2 may be marked to stay */
	bool falsified; /* the last look found a write to a copy of `globals`, or beside it */
	unsigned char cold_byte;
	cuda_address cold; /* memory that is written to put everything else out of L2 */
	size_t cold_bytes;
	struct CUctx_st *context;
	struct CUstream_st *stream;
	struct CUgraphExec_st *graph; /* that capture has made; NULL: none */
	struct device_info info;
	void *stages[CUDA_STAGES]; /* pinned memory for copies in pieces */
	struct cuda_clock *clock;
	size_t unclocked; /* number of kernels launched since the clock was read, but not by it */
	struct cuda_checks *checks;
	struct cuda_globals
		*globals;         /* those with a copy (cuda_globals.first), of loaded modules */
	struct nvml_device *nvml; /* source of readings; NULL: there are none */
	int64_t throttled;        /* number of readings of a clock that was lowered to keep cool */
};

/* Makes a status as cuda_driver_check() does, and notes an error that stays. */
enum asc_status cuda_check(struct device *d, unsigned rc, const char *what, struct asc_err *e);

/* Waits for all that was asked of the device on our stream. */
enum asc_status cuda_wait(struct device *d, const char *what, struct asc_err *e);

/* The same, of other streams' work too. */
enum asc_status cuda_wait_all(struct device *d, const char *what, struct asc_err *e);

/* Allocates whole pages. */
enum asc_status cuda_alloc(struct device *d, size_t bytes, cuda_address *out, struct asc_err *e);

/* Has L2 keep no part of itself for lines that are marked to stay. Without effect where a device
 * has no such lines, or another process decides on them. */
void cuda_flush_open(struct device *d);

/* Takes the marks off lines that earlier launches have marked to stay; called when nothing runs. */
void cuda_flush_begin(struct device *d);

/* Empties L2 by writing twice its size: puts the writes into the stream, with a byte that changes
 * each time; does not wait. The memory is allocated the first time. */
enum asc_status cuda_flush_queue(struct device *d, struct asc_err *e);

/* Compiles kernels of our own at run time by NVRTC: appends the cubin of `source` (CUDA C++ without
 * headers) for "sm_90a". Products and sums are not fused unless the source says so. ASC_ABSENT when
 * there is no compiler, or when it refuses the source: it is too old for the device, say. */
enum asc_status cuda_compile(const char *arch, const char *source, struct buf *image,
			     struct asc_err *e);

#endif
