/* Finalists: who takes part in finals, chosen from the candidates of a search, and who is left out
 * again where time is short. Plain data, nothing is measured here. */
#ifndef ASCTUNE_TUNE_FINALISTS_H
#define ASCTUNE_TUNE_FINALISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/tune/candidates.h"

struct policy;

struct finalists {                                   /* zeroed at first, but for the candidates */
	const struct candidates *candidates;         /* borrowed */
	struct candidate best;                       /* the best on record */
	bool has_best;                               /* it is in a space of this run */
	const struct candidate *list[FINALISTS_MAX]; /* of the candidates, or `best` */
	size_t n;
	size_t n_unfit;    /* number that was left out for want of time, */
	size_t n_late;     /* and those among them that may be as fast as the best */
	size_t n_recalled; /* candidates that the search dropped and take part nevertheless */
};

/* Chooses. The order matters where the list is full: the best on record and the references come
 * first, because the answer is compared with them; with `given` all candidates follow, which a
 * caller asked for. The rest follows by median while its interval reaches down to the lowest median
 * times the policy's ratio: it may be the fastest, by the times of the search. */
void finalists_choose(struct finalists *f, const struct policy *r, bool given);

/* Adds the fastest candidates that the search dropped as slow, where they are faster than all
 * finalists: the incumbent that they were slower than has failed since. True when there are any. */
bool finalists_add_dropped(struct finalists *f);

/* Leaves out finalists from the slowest on until the fewest rounds fit into the time left, ns.
 * References and the best on record stay while more than two finalists are left. One finalist is
 * left when even two do not fit, and then there is nothing to compare. */
void finalists_fit(struct finalists *f, const struct policy *r, double left_ns);

/* True for a candidate that may be as fast as the lowest median, by the times of the search. */
bool finalists_may_be_best(const struct finalists *f, const struct policy *r,
			   const struct candidate *c);

/* Time of the fewest rounds of the two lowest medians and the default beside them, and of a trial
 * that is not over when they are to begin, ns. */
double finalists_least_ns(const struct policy *r, const struct candidates *c);

#endif
