/* Which finalists leave the rounds of the finals early, by what these have shown so far. Pure:
 * knows neither a device nor a clock. */
#ifndef ASCTUNE_WORKER_ELIMINATION_H
#define ASCTUNE_WORKER_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct policy;

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
 * least, or in every round, three at least, leaves before the test can tell. Pure; fails only when
 * out of memory. */
enum asc_status finals_drop(const struct policy *r, const struct finals_rounds *list, size_t rounds,
			    size_t *order, size_t *n, struct asc_err *e);

#endif
