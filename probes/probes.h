/* The entries of probe_list, each defined in a file of its own. A new probe is its file, a line
 * here and a line in probe.c. */
#ifndef ASCTUNE_PROBES_PROBES_H
#define ASCTUNE_PROBES_PROBES_H

#include "probes/probe.h"

extern const struct probe_ops probe_rusage, probe_perf_event, probe_nvml;

#endif
