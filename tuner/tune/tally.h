/* Configurations that a run has tried, how each ended, and what the failed ones have in common.
 *
 * The caller's storage, zeroed: tally_add(), tally_fini(). Without memory for one configuration it
 * finds nothing any more, which is harmless. */
#ifndef ASCTUNE_TUNE_TALLY_H
#define ASCTUNE_TUNE_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/result/result.h"
#include "tuner/result/setting.h"

struct tally {
	struct tallied *list; /* heap */
	size_t n, room;
	bool lost; /* memory ran out for one */
};

/* Adds a configuration, NAME=VALUE,..., which is copied; `implementation` is borrowed. */
void tally_add(struct tally *t, const char *implementation, const char *config,
	       const struct result *r);

/* A configuration has another result now; it is added where it was not there. */
void tally_change(struct tally *t, const char *implementation, const char *config,
		  const struct result *r);
void tally_fini(struct tally *t);

/* Number of configurations of an implementation, and how many of them ended with `status`. */
size_t tally_count(const struct tally *t, const char *implementation, enum result_status status,
		   size_t *ended);

/* Finds settings that all configurations which ended with `status` have, and that nothing which
 * passed has, together: the fewest that say so, in the order of the key, at most
 * TALLY_MAX_SETTINGS; borrowed until the tally changes. 0 where fewer than two ended so, where
 * nothing passed, and where something that passed has all that they share. */
enum { TALLY_MAX_SETTINGS = 64 };
size_t tally_find_common(const struct tally *t, const char *implementation,
			 enum result_status status, struct setting out[TALLY_MAX_SETTINGS]);

/* Number of configurations, at least two, that are wrong alike, by number and size of their errors
 * within 1 %, while nothing passed and none is wrong otherwise; else 0. Elements that are NaN or
 * infinite, as floating outputs that were never written are, say nothing about a reference. */
size_t tally_count_alike(const struct tally *t);

#endif
