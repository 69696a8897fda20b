/* The probe `rusage`: what the kernel counted for this process. */
#ifndef ASCTUNE_PROBES_RUSAGE_H
#define ASCTUNE_PROBES_RUSAGE_H

#include "probes/probe.h"

extern const struct probe_ops probe_rusage;

#endif
