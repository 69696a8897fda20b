/* Successive elimination of finalists: those that are clearly slower than the leader need no more
 * rounds. Pure. */
#ifndef ASCTUNE_WORKER_ELIMINATION_H
#define ASCTUNE_WORKER_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct policy;

struct elimination {            /* one finalist */
	const int64_t *samples; /* ns a launch, one for each round; borrowed */
	const int64_t *notes;   /* note of each, as in struct result; NULL: all are clean */
	bool full;              /* exempt: takes every round */
};

/* Drops finalists after `rounds` rounds, in which every list[i] with i in order[0 .. *n-1] took
 * part: partitions order[], those that stay first, the leader (the lowest median) among them; *n
 * becomes their number. The sign test counts the rounds in which one was slower than the leader by
 * more than the margin, so noise that a whole round shares cancels. Once there are six rounds in
 * which the samples of both are clean, only these count. A finalist that took over `finals_far`
 * times as long in every clean round, two at least, leaves before the test can tell. Fails only
 * when out of memory. */
enum asc_status elimination_drop(const struct policy *r, const struct elimination *list,
				 size_t rounds, size_t *order, size_t *n, struct asc_err *e);

#endif
