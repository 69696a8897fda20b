/* What a device reaches at best, asked of a worker that has it open and nothing else to do. */
#ifndef ASCTUNE_RUN_ASK_PEAKS_H
#define ASCTUNE_RUN_ASK_PEAKS_H

#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"

struct peaks;
struct worker_link;

/* As device_ops.peaks. ASC_CHILD with the worker's own words when the device cannot tell, ASC_IO
 * when the worker is gone, ASC_TIMEOUT when it takes too long, at `until_ns` of clock_now_ns()
 * at the latest (0: no limit). Nothing else should run on the device. */
enum asc_status ask_peaks(struct worker_link *l, enum dtype type, struct peaks *out,
			  int64_t until_ns, struct asc_err *e);

#endif
