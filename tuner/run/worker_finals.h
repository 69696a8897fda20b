/* Several configurations in a worker, measured once more in rounds. */
#ifndef ASCTUNE_RUN_WORKER_FINALS_H
#define ASCTUNE_RUN_WORKER_FINALS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct result;
struct rule;
struct worker_config;
struct worker_watch;

/* Verifies each, warms up, then makes rounds in which each takes one sample, in an order drawn from
 * `seed`: samples of equal index in results[] are of the same round. Those that are clearly slower
 * than the leader leave early, with fewer samples. n is at most EVALUATOR_MAX_FINALISTS; one that
 * fails is left out of the rounds, and the others go on. results[] are initialised. */
enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n,
				  const struct rule *rule, uint64_t seed,
				  const struct worker_watch *watch, struct result *results,
				  struct asc_err *e);

#endif
