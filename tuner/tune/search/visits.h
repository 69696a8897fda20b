/* The configurations that a search has asked for, with their scores: a hash table of space indices
 * that grows by doubling. The caller owns the storage: visits_init(), visits_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_VISITS_H
#define ASCTUNE_TUNE_SEARCH_VISITS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct visit {
	uint64_t index; /* UINT64_MAX: a free slot */
	double score;   /* lower is better, infinite after a failure; NaN: no result yet */
};

struct visits {
	struct visit *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

void visits_init(struct visits *v);
void visits_fini(struct visits *v);

/* Finds the visit of an index; NULL: none. Valid until the next visits_add(). */
struct visit *visits_find(const struct visits *v, uint64_t index);

/* Adds a visit without a result; one that is there already stays as it is. Fails only when out of
 * memory. */
enum asc_status visits_add(struct visits *v, uint64_t index, struct asc_err *e);

#endif
