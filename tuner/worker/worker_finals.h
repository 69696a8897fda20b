/* Several configurations in a worker, measured once more in rounds. */
#ifndef ASCTUNE_WORKER_WORKER_FINALS_H
#define ASCTUNE_WORKER_WORKER_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct result;
struct policy;
struct worker_config;
struct worker_watch;

struct worker_finals { /* borrowed */
	const struct policy *policy;
	uint64_t seed;
	int64_t until_ns; /* as in struct trial */
	const struct worker_watch *watch;
};

/* Verifies each, warms up, then makes rounds in which each takes one sample, in an order drawn from
 * the seed: samples of equal index in results[] are of the same round. Those that are clearly
 * slower than the leader leave early, with fewer samples. One sample of each, of a random round,
 * starts on poison and is verified; all are verified once more at the end. n is at most
 * FINALISTS_MAX. results[] are initialised; without samples where time was up before.
 *
 * What cannot be launched or harms others ends the rounds. Where one failed, *complete is false,
 * and only results that are not ok count: the others may have been measured beside what it did. */
enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n,
				  const struct worker_finals *how, struct result *results,
				  bool *complete, struct asc_err *e);

#endif
