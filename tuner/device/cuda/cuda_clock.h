/* Times of launches on a GPU: CUPTI's activity records, else events in a stream that is held until
 * all launches are queued, so that gaps between them do not count, else plain events. For launches
 * of several kernels the stream is held in either case.
 *
 * Times of different clocks are never compared (an event pair reads some microseconds more), so
 * the clock is part of the device's description. $ASCTUNE_CUDA_CLOCK names one: "activity",
 * "event-blocked" or "event"; the last is for functions that wait for the device themselves, which
 * a held stream would never let go on. Without the variable, the first usable one is taken. The
 * first launch of a kernel is not held. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_CLOCK_H
#define ASCTUNE_DEVICE_CUDA_CUDA_CLOCK_H

#include "tuner/device/cuda/cuda_device.h"

struct clock_kind;

#define CUDA_CLOCK_VARIABLE "ASCTUNE_CUDA_CLOCK"

extern const struct clock_kind cuda_clocks;

/* Opens the clock that $ASCTUNE_CUDA_CLOCK names. Only activity records have the times of the
 * kernels. ASC_ABSENT when the device refuses it, ASC_USAGE when it is unknown. */
enum asc_status cuda_clock_open(struct device *d, struct asc_err *e);
void cuda_clock_close(struct device *d);

/* Lets a held stream go on. Called before anything waits for the device. */
void cuda_clock_release(struct device *d);

#endif
