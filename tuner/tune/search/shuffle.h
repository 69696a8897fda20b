/* The numbers 0 .. n-1 in a random order, drawn one at a time: every order is equally likely, and
 * the cost depends on the numbers drawn, not on n. The caller owns the storage: shuffle_init(),
 * shuffle_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_SHUFFLE_H
#define ASCTUNE_TUNE_SEARCH_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/rng.h"

struct shuffle {
	struct rng rng;
	uint64_t left; /* how many are not yet drawn */
	struct shuffle_move {
		uint64_t place, number; /* place UINT64_MAX: free */
	} * moves;                      /* entries of places that do not hold their own number */
	size_t n_moves, capacity;       /* capacity: a power of two, or 0 */
};

void shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed); /* n < UINT64_MAX */
void shuffle_fini(struct shuffle *s);

/* Draws a number; some must be left. Fails only when out of memory: then nothing was drawn. */
enum asc_status shuffle_draw(struct shuffle *s, uint64_t *number, struct asc_err *e);

#endif
