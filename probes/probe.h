/* Probes: sources of facts about launches. A probe is opened in the worker, once per device. There
 * are two kinds. One encloses: begin and end stand around untimed launches of one configuration,
 * without flushes of the caches between them. The other replays: it asks for the launches that it
 * needs, in passes, after all times were taken, in a process that ends afterwards. Both add metrics
 * to the caller's result. */
#ifndef ASCTUNE_PROBES_PROBE_H
#define ASCTUNE_PROBES_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct device_info;
struct metric_book;
struct metric_def;
struct metric_set;
struct probe;
struct result;

struct probe_metric {
	const char *name, *unit, *meaning;
};

/* Metrics that a probe that replays counts: those of a set that are its own. Borrowed. */
struct probe_request {
	const struct metric_book *book;
	const struct metric_set *set;
};

/* The launches that a probe asks for. */
struct probe_launches {
	/* Announces that a pass begins, counted from 1 of `of`: when the process dies, that is
	 * where. */
	enum asc_status (*pass)(void *user, size_t pass, size_t of, struct asc_err *e);
	/* Restores tensors that kernels change, in memory. */
	enum asc_status (*restore)(void *user, struct asc_err *e);
	/* Empties the caches of what earlier launches have left there, and of what is still to be
	 * written to memory; waits. NULL: the policy of the run asks for hot caches, and the
	 * device does not queue launches. */
	enum asc_status (*flush)(void *user, struct asc_err *e);
	/* Makes n launches in a row of all kernels of the configuration, with the caches as they
	 * are, and waits for them; n 0: does what surrounds them alone. */
	enum asc_status (*launch)(void *user, int64_t n, struct asc_err *e);
	void *user;
	double time_ns; /* of a launch, about */
	bool inout;     /* kernels read what they change: each launch finds other inputs, unless
			   restore() comes before it */
	size_t kernels; /* that the workload launches in it */
	bool vendor;    /* a vendor's function is among them, which may launch more */
};

struct probe_ops {
	const char *name;
	const char *summary;
	const char *device;                 /* the only kind of device that it serves; NULL: all */
	const struct probe_metric *metrics; /* ended by a NULL name; NULL: those of the book */
	/* Checks that the probe is usable here for that kind of device; `reason` says why not. */
	bool (*check)(const char *device, char *reason, size_t size);
	/* Checks metrics[metric] alone; NULL: all metrics are available. */
	bool (*has)(const char *device, size_t metric, char *reason, size_t size);
	/* Checks a metric of the book that is the probe's; NULL: all are available. */
	bool (*counts)(const char *device, const struct metric_def *m, char *reason, size_t size);
	/* Opens the probe for an opened device, after check() has succeeded. */
	enum asc_status (*open)(const struct device_info *device, struct probe **out,
				struct asc_err *e);
	void (*close)(struct probe *p);

	/* For a probe that encloses. */
	enum asc_status (*begin)(struct probe *p, struct asc_err *e);
	enum asc_status (*end)(struct probe *p, struct result *out,
			       struct asc_err *e); /* adds its metrics */

	/* Counts, as a probe that replays, what is asked for; adds a reading for each metric,
	 * for each kernel where there are several, or the reason why there is none, and two of its
	 * own: "passes" and "launches", those that it made. Refused counters are readings with that
	 * reason; an error ends the worker. NULL: it encloses. */
	enum asc_status (*replay)(struct probe *p, const struct probe_request *r,
				  const struct probe_launches *l, struct result *out,
				  struct asc_err *e);
	/* Finds, for a probe that replays, the number of passes over a launch on a chip, without a
	 * device. `chip` NULL: the probe's device's. ASC_ABSENT: it cannot be told here. */
	enum asc_status (*plan)(const struct probe_request *r, const char *chip, size_t *passes,
				struct asc_err *e);
	/* Checks, for a probe that replays, that a counter of a metric is well written, whether or
	 * not it is here. ASC_INPUT. NULL: any word may be one. */
	enum asc_status (*parse)(const char *counter, struct asc_err *e);
	/* Prints, for a probe that replays, the counter from which a metric comes on a chip, as of
	 * plan. ASC_ABSENT, with the reason, and "" where the chip has none. */
	enum asc_status (*counter)(const struct metric_def *m, const char *chip, char *text,
				   size_t size, struct asc_err *e);
	const char *leaves; /* what a replay finds in the caches: "flushed", "hot"; NULL: what the
			       policy of the run asks for */
};

/* Checks that a metric of the probe is available for that kind of device; `reason` says why not. */
bool probe_has(const struct probe_ops *ops, const char *device, size_t metric, char *reason,
	       size_t size);

bool probe_serves(const struct probe_ops *ops, const char *device);

/* Entries of probe_list, each defined in a file of its own. */
extern const struct probe_ops probe_perf_event, probe_nvml, probe_cupti, probe_energy;
extern const struct probe_ops *const probe_list[];
const struct probe_ops *probe_find(const char *name);

#endif
