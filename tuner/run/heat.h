/* Which finalists need no more rounds: those that are clearly slower than the leader. Pure. */
#ifndef ASCTUNE_RUN_HEAT_H
#define ASCTUNE_RUN_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct rule;

struct heat {                   /* of one finalist */
	const int64_t *samples; /* ns a launch, one for each round; borrowed */
	bool unraced;           /* leaves for nothing */
};

/* Every list[i] with i in order[0 .. *n-1] has been through `rounds` rounds. Moves those that stay
 * to the front, the leader (the lowest median) among them, and makes *n their number. The sign test
 * counts the rounds in which one was slower than the leader by more than the margin: what slows a
 * whole round down does not matter. One that took over `finals_far` times as long in every round
 * leaves before the test can tell. Fails only when out of memory. */
enum asc_status heat_drop(const struct rule *r, const struct heat *list, size_t rounds,
			  size_t *order, size_t *n, struct asc_err *e);

#endif
