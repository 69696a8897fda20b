/* How a worker profiles one loaded configuration: times in several states, then launches for probes
 * that replay. A failure of the configuration is a result; errors are failures of the worker. */
#ifndef ASCTUNE_WORKER_PROFILE_CONFIG_H
#define ASCTUNE_WORKER_PROFILE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/probe.h"
#include "tuner/base/err.h"
#include "tuner/worker/measurement.h"

struct worker_config;

struct profile_probe {
	const struct probe_ops *ops;
	struct probe *probe;                           /* NULL: it cannot be opened here */
	char reason[sizeof((struct asc_err){0}.text)]; /* why not */
};

struct profile_asked {
	bool experiments;             /* times with the caches in either state, and with half the
					 occupancy */
	bool captures;                /* whether launches may be recorded into a graph, where only a
					 try says; the process is harmed then */
	struct probe_request request; /* book and set; unused without probes */
	const struct profile_probe *probes[WORKER_MAX_PROBES + 1]; /* that replay; ended by NULL */
};

/* Verifies and times, counts, and verifies what the last launch left. The result's metrics are the
 * readings, its samples the times by the policy. */
enum asc_status worker_config_profile(struct worker_config *c, struct race *race,
				      const struct profile_asked *asked, struct result *r,
				      struct asc_err *e);

#endif
