/* Groups of series that a test has made, without a history. */
#ifndef ASCTUNE_TESTS_UNIT_TRACK_GROUPS_H
#define ASCTUNE_TESTS_UNIT_TRACK_GROUPS_H

#include <stdlib.h>

#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"

/* The caller's to track_groups_fini(). */
static inline struct track_groups groups_of(struct track_series *list, size_t n)
{
	const struct track_history h = {.list = list, .n = n, .n_all = n};
	struct track_groups g;
	struct asc_err e;

	if (track_groups_find(&h, &g, &e))
		abort();
	return g;
}

#endif
