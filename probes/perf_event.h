/* The table of functions by which the probe `perf_event` asks this kernel. */
#ifndef ASCTUNE_PROBES_PERF_EVENT_H
#define ASCTUNE_PROBES_PERF_EVENT_H

struct perf_source;

extern const struct perf_source perf_source_kernel;

#endif
