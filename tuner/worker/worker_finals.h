/* The finals in a worker: several configurations measured once more, in rounds, and which of them
 * leave early. */
#ifndef ASCTUNE_WORKER_WORKER_FINALS_H
#define ASCTUNE_WORKER_WORKER_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct policy;
struct race;
struct result;
struct worker_config;

/* Verifies each, warms up, then makes rounds in which each takes one sample, in an order drawn from
 * the seed: samples of equal index in results[] are of the same round. Those that are clearly
 * slower than the leader leave early, with fewer samples. One sample of each, of a random one of
 * the fewest rounds, starts on poison and is verified, unless it has left by then; all are verified
 * once more at the end; then the answer and its ties are launched on and compared (repeats.h),
 * where the request says when the run began. n is at most FINALISTS_MAX. results[] are initialised;
 * without samples where time was up before.
 *
 * What cannot be launched or harms others ends the rounds. Where one failed, *complete is false,
 * but for a launch that was wrong beside right ones, and only results that are not ok count: the
 * others may have been measured beside what it did. */
enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n, struct race *race,
				  uint64_t seed, struct result *results, bool *complete,
				  struct asc_err *e);

struct finals_rounds {          /* those of one finalist */
	const int64_t *samples; /* ns a launch, one for each round; borrowed */
	const int64_t *notes;   /* note of each, as in struct result; NULL: all are clean */
	bool full;              /* exempt: takes every round */
};

/* Drops finalists after `rounds` rounds, in which every list[i] with i in order[0 .. *n-1] took
 * part: moves those that stay to the front of order[], the leader (the lowest median) among them;
 * *n becomes their number, and what is behind them means nothing. The sign test counts the rounds
 * in which one was slower than the leader by more than the margin, so noise that a whole round
 * shares cancels. Once there are six rounds in which the samples of both are clean, only these
 * count. A finalist that took over POLICY_FINALS_FAR times as long in every clean round, two at
 * least, leaves before the test can tell. Pure; fails only when out of memory. */
enum asc_status finals_drop(const struct policy *r, const struct finals_rounds *list, size_t rounds,
			    size_t *order, size_t *n, struct asc_err *e);

#endif
