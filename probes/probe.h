/* A source of facts about what happened while kernels ran. Opened in the worker, once per device;
 * begin and end enclose the measured launches of one configuration. */
#ifndef ASCTUNE_PROBES_PROBE_H
#define ASCTUNE_PROBES_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct probe;
struct result;

enum { PROBE_OPS_VERSION = 1 };

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
	enum asc_status (*open)(struct probe **out, struct asc_err *e);
	void (*close)(struct probe *p);
	enum asc_status (*begin)(struct probe *p, struct asc_err *e);
	enum asc_status (*end)(struct probe *p, struct result *out,
			       struct asc_err *e); /* adds its metrics */
};

extern const struct probe_ops *const probe_list[];
const struct probe_ops *probe_find(const char *name);

#endif
