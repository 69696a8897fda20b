/* What this machine has beside devices: probes, builders, functions of vendor libraries; each by
 * its name, with the reason where it is not usable. For `asctune list` and `asctune doctor`. */
#ifndef ASCTUNE_CMD_MACHINE_TOOL_LISTING_H
#define ASCTUNE_CMD_MACHINE_TOOL_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/probe.h"

struct listing;

/* True when metric `k` of the probe exists for any device that is usable here; else `reason` is
 * that of the last one. */
bool tool_counts(const struct probe_ops *ops, size_t k, char *reason, size_t size);

void tool_list_probes(struct listing *l);
void tool_list_builders(struct listing *l);
void tool_list_vendors(struct listing *l);
void tool_list_clocks(struct listing *l); /* libraries that time kernels on a device */

#endif
