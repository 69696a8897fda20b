/* Candidates for the next question, with what each tree of a forest expects of them: a part of a
 * space that is chosen anew now and then, so that a question costs the same however large the space
 * is.
 *
 * The caller owns the storage: pool_init(), pool_fini(). */
#ifndef ASCTUNE_SEARCH_CANDIDATE_POOL_H
#define ASCTUNE_SEARCH_CANDIDATE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/search/forest.h"

enum { POOL_SIZE = 1024, POOL_VIEWS = 2 /* tree i is of view i % POOL_VIEWS */ };

struct pool {
	size_t features, n;
	uint64_t *indices;
	float *rows;     /* features of each candidate */
	float *expected; /* target by each tree: POOL_SIZE numbers of the first tree, then .. */
	float *sums, *squares;
};

enum asc_status pool_init(struct pool *p, size_t features, struct asc_err *e);
void pool_fini(struct pool *p);

/* Adds a candidate; there must be a place. */
void pool_add(struct pool *p, const struct forest *f, uint64_t index, const float *row);

/* Updates what a tree expects, after it was grown. */
void pool_expect(struct pool *p, const struct forest *f, size_t tree);

/* Removes an index, if it is there. */
void pool_remove(struct pool *p, uint64_t index);

/* Finds the candidate with the least bound: mean over the trees of a view less `deviations` of
 * their standard deviations; the number of the candidate, or p->n when there is none. */
size_t pool_find_least(struct pool *p, size_t view, float deviations);

#endif
