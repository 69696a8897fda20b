/* The protocol by which a worker measures one loaded configuration: verification, samples against
 * the incumbent, a check of the incumbent, verification of the last launch, counters. A failure of
 * the configuration is a result; errors are failures of the worker. */
#ifndef ASCTUNE_WORKER_MEASURE_CONFIG_H
#define ASCTUNE_WORKER_MEASURE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct incumbent;
struct incumbent_check;
struct policy;
struct probe;
struct probe_ops;
struct result;
struct worker_config;
struct worker_watch;

enum { WORKER_MAX_PROBES = 16 };

struct worker_probe {
	const struct probe_ops *ops;
	struct probe *probe;
};

struct worker_race { /* context of measuring a configuration; all borrowed */
	const struct policy *policy;
	const struct incumbent *best;
	struct incumbent_check *incumbent;
	const struct worker_probe *probes; /* ended by a NULL entry */
	const struct worker_watch *watch;
	int64_t until_ns; /* as in struct trial */
	bool needed;      /* as there */
};

/* Verifies, measures against the incumbent, and verifies the outputs of the last launch. A
 * configuration that is a little slower is dropped only after a check of the incumbent. Probes
 * count launches of their own of one that is ok. */
enum asc_status worker_config_measure(struct worker_config *c, const struct worker_race *race,
				      struct result *result, struct asc_err *e);

#endif
