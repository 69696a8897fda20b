/* Why a series changed, where recorded facts tell: did the same configuration become slower, did
 * another one win, is the device, its driver, the source or the tool chain another one. */
#ifndef ASCTUNE_TRACK_TRACK_CAUSE_H
#define ASCTUNE_TRACK_TRACK_CAUSE_H

#include <stddef.h>

#include "tuner/base/err.h"

struct db;
struct track_night;
struct track_series;

/* Sets cause and why of a series that changed; of one that is broken, how its configurations
 * failed; of others, why a newest point cannot be judged. */
enum asc_status track_cause_find(struct track_series *s, const struct track_night *nights,
				 struct db *d, struct asc_err *e);

/* The night whose configuration stands for the nights from..to-1: the one that won most often in
 * the newest nine, the later one of equals. NULL without nights. */
const struct track_night *track_cause_usual(const struct track_night *nights, size_t from,
					    size_t to);

/* Where the segment before the newest change begins. */
size_t track_cause_before(const struct track_series *s);

#endif
