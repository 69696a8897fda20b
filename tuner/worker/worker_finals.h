/* The finals in a worker: several configurations measured once more, in rounds. */
#ifndef ASCTUNE_WORKER_WORKER_FINALS_H
#define ASCTUNE_WORKER_WORKER_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct finalist;
struct plan_use;
struct race;
struct result;
struct worker_config;

/* Verifies each, warms up, then makes rounds in which each takes one sample, in an order drawn from
 * the seed: samples of equal index in results[] are of the same round, and on the same set of
 * inputs, which is drawn where the device keeps all of them (worker_sets.h). Those that are clearly
 * slower than the leader leave early (elimination.h), with fewer samples. One sample of each, of a
 * random one of the fewest rounds, and the first on each set start on poison and are verified,
 * unless it has left by then; all are verified once more at the end; then the answer and its ties
 * are verified on sets that they have not met, launched on and compared (repeats.h), where the
 * request says when the run began. n is at most FINALISTS_MAX. results[] are initialised; without
 * samples where time was up before.
 *
 * What cannot be launched or harms others ends the rounds. Where one failed, *complete is false,
 * but for a launch that was wrong beside right ones, and only results that are not ok count: the
 * others may have been measured beside what it did. */
enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n, struct race *race,
				  uint64_t seed, struct result *results, bool *complete,
				  struct asc_err *e);

/* Describes a finalist for tie_find(), by what all calls of it use, or the device's facts of its
 * kernel: coordinator and worker choose alike among ties. *out borrows the result and the key, and
 * is of no implementation yet. */
void worker_finals_describe(const struct result *r, const char *key, bool recorded,
			    const struct plan_use *use, struct finalist *out);

#endif
