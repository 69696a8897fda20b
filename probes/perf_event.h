/* The probe `perf_event`: what the kernel's perf events counted for the measuring process, and the
 * table of functions by which it asks this kernel. */
#ifndef ASCTUNE_PROBES_PERF_EVENT_H
#define ASCTUNE_PROBES_PERF_EVENT_H

#include "probes/probe.h"

struct perf_source;

extern const struct probe_ops probe_perf_event;
extern const struct perf_source perf_source_kernel;

#endif
