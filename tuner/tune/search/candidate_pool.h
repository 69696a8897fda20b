/* Candidates among which the acquisition function of a forest is minimised, with what each tree
 * expects of them: a part of a space that is chosen anew now and then, so that a question costs the
 * same however large the space is.
 *
 * The caller owns the storage: candidate_pool_init(), candidate_pool_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_CANDIDATE_POOL_H
#define ASCTUNE_TUNE_SEARCH_CANDIDATE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/search/forest.h"

enum {
	CANDIDATE_POOL_SIZE = 1024,
	CANDIDATE_POOL_VIEWS = 2 /* targets of trees: tree i is of view i % CANDIDATE_POOL_VIEWS */
};

struct candidate_pool {
	size_t features, n;
	uint64_t *indices;
	float *rows;     /* features of each candidate */
	float *expected; /* target by each tree: CANDIDATE_POOL_SIZE numbers of the first tree, then
			    .. */
	float *sums, *squares;
};

enum asc_status candidate_pool_init(struct candidate_pool *p, size_t features, struct asc_err *e);
void candidate_pool_fini(struct candidate_pool *p);

/* Adds a candidate; there must be a place. Each tree has to say then what it expects. */
void candidate_pool_add(struct candidate_pool *p, uint64_t index, const float *row);

/* Finds what a tree expects of the candidates, after it was grown or some were added. */
void candidate_pool_expect(struct candidate_pool *p, const struct forest *f, size_t tree);

/* Removes an index, if it is there. */
void candidate_pool_remove(struct candidate_pool *p, uint64_t index);

/* Finds the candidate with the least bound: mean over the trees of a view less `deviations` of
 * their standard deviations; the number of the candidate, or p->n when there is none. */
size_t candidate_pool_find_least(struct candidate_pool *p, size_t view, float deviations);

/* Bound of candidate `at`, by the view that was asked last. */
float candidate_pool_bound(const struct candidate_pool *p, size_t at, float deviations);

#endif
