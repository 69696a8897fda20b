/* Results that a model learns from: the row and the score of each, and what trees are grown from.
 * The caller owns the storage, zeroed but for `features`: lessons_fini(). */
#ifndef ASCTUNE_SEARCH_LESSONS_H
#define ASCTUNE_SEARCH_LESSONS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/rng.h"
#include "tuner/search/forest.h"

struct lessons {
	size_t features, n, capacity;
	float *rows;
	float *logs;   /* logarithm of each score; infinite: a failure */
	float *sorted; /* those of the n_passed that are finite, ascending */
	size_t n_passed;
	float *sample_rows, *sample_targets; /* what one tree is grown from */
};

/* Targets of trees. LOG: the logarithm of the score, where the whole space counts. GAP: the
 * logarithm of how far that is above the best one, where the best of the space count. A failure is
 * as slow as the slowest that passed. */
enum lessons_target { LESSONS_LOG, LESSONS_GAP };

void lessons_fini(struct lessons *l);
/* Adds a result; the score is above 0, infinite for a failure. */
enum asc_status lessons_add(struct lessons *l, const float *row, double score, struct asc_err *e);

/* Draws the rows of a tree: all while they are few, later the best and as many of the others. One
 * must have passed. Valid until the next call. */
void lessons_draw(struct lessons *l, enum lessons_target target, struct rng *r,
		  struct forest_rows *out);

#endif
