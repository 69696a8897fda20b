/* Energy of a launch of several configurations, measured by turns: in each turn every one has a
 * span of launches, in an order drawn by lot, so that what the warmth of the device changes is in
 * all of them alike. Pure: readings come from the caller. */
#ifndef ASCTUNE_TUNE_ENERGY_TURNS_H
#define ASCTUNE_TUNE_ENERGY_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/energy_probe.h"
#include "tuner/base/err.h"

struct profile;
struct metric;

/* Turns: the fewest of which a median has a 95 % interval. Half of them are enough to see who
 * takes more than the least beyond the scatter of both. */
enum { ENERGY_TURNS = 6, ENERGY_FEWEST_TURNS = 3 };

struct energy_turns { /* of one configuration; zeroed at first */
	double values[ENERGY_METRICS][ENERGY_TURNS];
	size_t n;
	bool left; /* it has no further turn */
};

/* Takes the readings of a turn; a configuration without any leaves. */
void energy_turns_take(struct energy_turns *t, const struct metric *readings, size_t n);

/* Lets those leave, from the fewest turns on, whose every turn took more than each turn of the one
 * with the lowest median. */
void energy_turns_leave(struct energy_turns *list, size_t n);

/* Puts what the turns come to in place of the readings of one: medians, sums of launches and
 * seconds, and the interval of the energy of a launch (energy_low_j, energy_high_j), which is the
 * range where the turns were few. Without any turn nothing changes. */
enum asc_status energy_turns_give(const struct energy_turns *t, struct profile *p,
				  struct asc_err *e);

#endif
