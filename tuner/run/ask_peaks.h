/* What a device reaches at best, asked of a worker of its own. */
#ifndef ASCTUNE_RUN_ASK_PEAKS_H
#define ASCTUNE_RUN_ASK_PEAKS_H

#include "tuner/base/err.h"

struct device_ops;
struct peaks;

/* Starts `program` as a worker, has it measure, and ends it. ASC_CHILD with the worker's own words
 * when the device cannot tell, ASC_TIMEOUT when it takes too long. Nothing else should run on the
 * device. */
enum asc_status ask_peaks(const char *program, const struct device_ops *device, int ordinal,
			  struct peaks *out, struct asc_err *e);

#endif
