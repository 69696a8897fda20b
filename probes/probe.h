/* Probes: sources of facts about launches. A probe is opened in the worker, once per device; begin
 * and end enclose untimed launches of one configuration, without flushes of the caches between
 * them. `end` adds metrics to the caller's result. */
#ifndef ASCTUNE_PROBES_PROBE_H
#define ASCTUNE_PROBES_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct device_info;
struct probe;
struct result;

struct probe_metric {
	const char *name, *unit, *meaning;
};

struct probe_ops {
	const char *name;
	const char *summary;
	const struct probe_metric *metrics; /* ended by a NULL name */
	/* Checks that the probe is usable here for that kind of device; `reason` says why not. */
	bool (*check)(const char *device, char *reason, size_t size);
	/* Checks metrics[metric] alone; NULL: all metrics are available. */
	bool (*has)(const char *device, size_t metric, char *reason, size_t size);
	/* Opens the probe for an opened device, after check() has succeeded. */
	enum asc_status (*open)(const struct device_info *device, struct probe **out,
				struct asc_err *e);
	void (*close)(struct probe *p);
	enum asc_status (*begin)(struct probe *p, struct asc_err *e);
	enum asc_status (*end)(struct probe *p, struct result *out,
			       struct asc_err *e); /* adds its metrics */
};

/* Checks that a metric of the probe is available for that kind of device; `reason` says why not. */
bool probe_has(const struct probe_ops *ops, const char *device, size_t metric, char *reason,
	       size_t size);

/* Entries of probe_list, each defined in a file of its own. */
extern const struct probe_ops probe_rusage, probe_perf_event, probe_nvml;
extern const struct probe_ops *const probe_list[];
const struct probe_ops *probe_find(const char *name);

#endif
