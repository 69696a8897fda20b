/* The search for offsets of tiles: first fit, then every arrangement. Private to
 * tuner/model/placement*.c.
 *
 * The caller owns all storage. */
#ifndef ASCTUNE_MODEL_PLACEMENT_SEARCH_H
#define ASCTUNE_MODEL_PLACEMENT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_space;
struct placement_tile;

struct placement_search {
	const struct memory_space *space;
	struct placement_tile *tiles;
	size_t n;
	int64_t *size; /* of each tile, rounded up */
	bool *placed;  /* of each tile, and an order of them: storage for the search */
	size_t *order;
	size_t tries, max_tries; /* of the search for arrangements */
};

/* Each puts every tile, at the lowest offset that is free in one of several orders, or else as any
 * arrangement has it; false where it finds none. Having found none, placement_arrange() has tried
 * all of them if tries < max_tries. */
bool placement_fit_first(struct placement_search *q);
bool placement_arrange(struct placement_search *q);

#endif
