/* Metrics of the book by perf events: which this machine counts, in how many passes, and the
 * figures of one launch. The probe `perf_event` does it with this kernel's counters. */
#ifndef ASCTUNE_PROBES_PERF_EVENT_H
#define ASCTUNE_PROBES_PERF_EVENT_H

#include <stddef.h>

#include "probes/probe.h"

#define PERF_EVENT "perf_event" /* metric_def.probe */

struct perf_source;

/* Finds the counter of a metric on a processor (cpu_chip.h) that is here; NULL: `reason` says why
 * there is none. */
const char *perf_event_counter(const struct perf_source *source, const char *chip,
			       const struct metric_def *m, char *reason, size_t size);

/* Counts the metrics of a request, *passes times the launches, and adds a reading for each, or the
 * reason why there is none. `l` NULL: finds the number of passes alone; `passes` may be NULL. */
enum asc_status perf_event_count(const struct perf_source *source, const char *chip,
				 const struct probe_request *r, const struct probe_launches *l,
				 struct result *out, size_t *passes, struct asc_err *e);

#endif
