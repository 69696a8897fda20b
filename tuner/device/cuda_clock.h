/* What times launches on a GPU: CUPTI's activity records, else events in a stream that is held
 * until all launches are queued, so that their gaps do not count, else plain events.
 *
 * Times of different clocks are never compared (an event pair reads some microseconds more), so
 * which one it is belongs to the device's description. $ASCTUNE_CUDA_CLOCK names one, "activity",
 * "event-blocked" or "event": the last is for functions that wait for the device themselves, which
 * a held stream would never let go on. Without it, records where libcupti is. The first launch of a
 * kernel is not held. */
#ifndef ASCTUNE_DEVICE_CUDA_CLOCK_H
#define ASCTUNE_DEVICE_CUDA_CLOCK_H

#include "tuner/device/cuda_device.h"

void cuda_clock_name(char *text, size_t size);

/* Of d->info.clock. ASC_ABSENT when it is refused. */
enum asc_status cuda_clock_open(struct device *d, struct asc_err *e);
void cuda_clock_close(struct device *d);

/* Lets a held stream go on, before anything waits for the device. */
void cuda_clock_release(struct device *d);

/* What was launched since the last reading, but by cuda_clock_run(), is nobody's: its times are
 * dropped. Call it when nothing runs. */
enum asc_status cuda_clock_forget(struct device *d, struct asc_err *e);

/* As device_ops.run. Of a launch that starts several kernels it is the time from the start of the
 * first to the end of the last. */
enum asc_status cuda_clock_run(struct device *d, struct device_kernel *k,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e);

#endif
