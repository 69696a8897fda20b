/* The protocol by which a worker measures one loaded configuration: verification, samples against
 * the incumbent, a check of the incumbent, verification of the last launch, counters. A failure of
 * the configuration is a result; errors are failures of the worker. */
#ifndef ASCTUNE_WORKER_MEASURE_CONFIG_H
#define ASCTUNE_WORKER_MEASURE_CONFIG_H

#include "tuner/base/err.h"
#include "tuner/worker/measurement.h"

/* Verifies, measures against the incumbent, and verifies the outputs of the last launch; `full`
 * configurations race against nobody. A configuration that is a little slower is dropped only after
 * a check of the incumbent. Probes count launches of their own of one that is ok. */
enum asc_status worker_config_measure(struct worker_config *c, struct race *race,
				      struct result *result, struct asc_err *e);

#endif
