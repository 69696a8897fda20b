/* Times of launches on an NPU: MSPTI's records of kernels, else pairs of events in the stream.
 *
 * Events count the gaps between launches, records do not: times of the two are never compared, so
 * the clock is part of the device's description. $ASCTUNE_NPU_CLOCK names one: "mspti" or "event".
 * Without the variable, the first usable one is taken. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_CLOCK_H
#define ASCTUNE_DEVICE_NPU_NPU_CLOCK_H

#include <stdint.h>

#include "tuner/base/err.h"

struct clock_kind;
struct device;
struct device_batch;
struct device_sequence;

#define NPU_CLOCK_VARIABLE "ASCTUNE_NPU_CLOCK"

extern const struct clock_kind npu_clocks;

/* Opens the clock of that name. ASC_ABSENT when the device refuses it, ASC_USAGE when it is
 * unknown. */
enum asc_status npu_clock_open(struct device *d, struct asc_err *e);
void npu_clock_close(struct device *d);

/* Begins to collect MSPTI's records, where they are the clock: not before the process that measures
 * is to begin, since one process at a time may. */
enum asc_status npu_clock_claim(struct device *d, struct asc_err *e);

/* Discards timings of launches not made through npu_clock_run(). Called when nothing runs. */
enum asc_status npu_clock_forget(struct device *d, struct asc_err *e);

/* Times launches like device_ops.run. Times of the kernels themselves are in records alone. */
enum asc_status npu_clock_run(struct device *d, const struct device_sequence *s,
			      const struct device_batch *batch, int64_t *ns, struct asc_err *e);

#endif
