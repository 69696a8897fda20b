/* A source of facts about what happened while kernels ran. Opened in the worker, once per device;
 * begin and end enclose launches of one configuration that are not timed, without flushes of the
 * caches between them. */
#ifndef ASCTUNE_PROBES_PROBE_H
#define ASCTUNE_PROBES_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct probe;
struct result;

enum { PROBE_OPS_VERSION = 2 };

struct probe_metric {
	const char *name, *unit, *meaning;
};

struct probe_ops {
	int version;
	const char *name;
	const char *summary;
	const struct probe_metric *metrics; /* ended by a NULL name */
	bool (*check)(const char *device, char *reason,
		      size_t size); /* usable here, for that kind of device */
	bool (*has)(const char *device, size_t metric, char *reason,
		    size_t size); /* metrics[metric] is there too; NULL: all are */
	/* For the device "cuda" of that number, for which check() has been asked. */
	enum asc_status (*open)(const char *device, int ordinal, struct probe **out,
				struct asc_err *e);
	void (*close)(struct probe *p);
	enum asc_status (*begin)(struct probe *p, struct asc_err *e);
	enum asc_status (*end)(struct probe *p, struct result *out,
			       struct asc_err *e); /* adds its metrics */
};

/* Whether a metric of the probe is there, for that kind of device; if not, why. */
bool probe_has(const struct probe_ops *ops, const char *device, size_t metric, char *reason,
	       size_t size);

extern const struct probe_ops *const probe_list[];
const struct probe_ops *probe_find(const char *name);

#endif
