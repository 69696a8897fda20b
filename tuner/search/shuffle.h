/* The numbers 0 .. n-1 in a random order, drawn one at a time: every order is equally likely, and
 * what it costs depends on how many were drawn, not on n. The caller owns the storage:
 * shuffle_init(), shuffle_fini(). */
#ifndef ASCTUNE_SEARCH_SHUFFLE_H
#define ASCTUNE_SEARCH_SHUFFLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/rng.h"

struct shuffle {
	struct rng rng;
	uint64_t left; /* not yet drawn */
	struct shuffle_move {
		uint64_t place, number; /* place UINT64_MAX: free */
	} * moves;                      /* of places that do not hold their own number */
	size_t n_moves, capacity;       /* capacity: a power of two, or 0 */
};

void shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed); /* n < UINT64_MAX */
void shuffle_fini(struct shuffle *s);

/* False when all were drawn, or out of memory. */
bool shuffle_draw(struct shuffle *s, uint64_t *number);

#endif
