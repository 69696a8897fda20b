/* Why a series changed, where recorded facts tell: did the same configuration become slower, did
 * another one win, is the device, its driver, the source or the tool chain another one. */
#ifndef ASCTUNE_TRACK_TRACK_CAUSE_H
#define ASCTUNE_TRACK_TRACK_CAUSE_H

#include "tuner/base/err.h"

struct db;
struct track_night;
struct track_series;

/* Sets cause and why of a series that changed; of others, why a newest point cannot be judged. */
enum asc_status track_cause_find(struct track_series *s, const struct track_night *nights,
				 struct db *d, struct asc_err *e);

#endif
