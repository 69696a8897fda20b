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

#define NPU_CLOCK_VARIABLE "ASCTUNE_NPU_CLOCK"

extern const struct clock_kind npu_clocks;

/* Opens the clock that $ASCTUNE_NPU_CLOCK names. Times of the kernels themselves are in MSPTI's
 * records alone. ASC_ABSENT when the device refuses it, ASC_USAGE when it is unknown. */
enum asc_status npu_clock_open(struct device *d, struct asc_err *e);
void npu_clock_close(struct device *d);

#endif
