/* Training set of a model: the row and the score of each result; trees are grown from samples of
 * it. The caller owns the storage, zeroed but for `features`: training_set_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_TRAINING_SET_H
#define ASCTUNE_TUNE_SEARCH_TRAINING_SET_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/rng.h"
#include "tuner/tune/search/forest.h"

struct training_set {
	size_t features, n, capacity;
	float *rows;
	float *logs;   /* logarithm of each score; infinite: a failure */
	float *sorted; /* finite ones of `logs`, n_passed of them, ascending */
	size_t n_passed;
	float *sample_rows, *sample_targets; /* sample that one tree is grown from */
};

/* Targets of trees. LOG: logarithm of the score, which separates good parts of the space from bad
 * ones. GAP: logarithm of how far that is above the best one's, which separates the best. A failure
 * counts as the slowest that passed. */
enum training_target { TRAINING_LOG, TRAINING_GAP };

void training_set_fini(struct training_set *s);

/* Adds a result; the score is above 0, infinite for a failure. */
enum asc_status training_set_add(struct training_set *s, const float *row, double score,
				 struct asc_err *e);

/* Draws the rows of a tree: all while they are few, later the best and as many of the others. One
 * must have passed. Valid until the next call. */
void training_set_draw(struct training_set *s, enum training_target target, struct rng *r,
		       struct forest_rows *out);

#endif
