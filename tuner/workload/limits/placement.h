/* Placement of tiles with lifetimes in a memory space: two tiles that live at the same step never
 * overlap, each is one piece, and a byte-addressed or block-indexed space is filled in its own
 * units. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_PLACEMENT_H
#define ASCTUNE_WORKLOAD_LIMITS_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct memory_space;

struct placement_tile {
	const char *name;
	int64_t bytes;       /* at least 0 */
	int64_t first, last; /* first and last step of its life, both inclusive */
	int64_t offset;      /* out: byte offset, a multiple of the space's alignment */
};

/* Finds the most bytes that live at a step, each tile rounded up; *step is the first such step. */
int64_t placement_peak(const struct memory_space *s, const struct placement_tile *tiles, size_t n,
		       int64_t *step);

/* Sets every tile's offset. One after another when that fits, else with reuse: by first fit in
 * several orders, then by trying every arrangement. ASC_FULL when there is no arrangement (the
 * message names space, need, limit and the tiles that live at the worst step), ASC_LIMIT when none
 * was found among those tried: a million, fewer of many tiles. `device` is for the message. */
enum asc_status placement_find(const struct memory_space *s, const char *device,
			       struct placement_tile *tiles, size_t n, struct asc_err *e);

#endif
