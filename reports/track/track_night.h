/* Nights of a history: which runs are of one night, and which verdicts are new in the newest one.
 *
 * A night is a day that begins 18 hours before the start of the newest run of all: one that runs
 * from evening to morning is one night in every time zone. */
#ifndef ASCTUNE_TRACK_TRACK_NIGHT_H
#define ASCTUNE_TRACK_TRACK_NIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct track_history;
struct track_rule;

/* Number of the night of a moment: 0 for the newest, -1 for the one before; more than 0 behind it.
 */
int64_t track_night_of(const struct track_history *h, int64_t ms);

/* Moment of a night, whole days before the newest run, for its date. */
int64_t track_night_ms(const struct track_history *h, int64_t night);

/* Finds for each series of times whether its verdict is new in the newest night: the history
 * without that night, judged as the whole one, has another verdict. `fresh`: h->n of them. */
enum asc_status track_night_find_fresh(const struct track_history *h, struct db *d,
				       const struct track_rule *rule, bool *fresh,
				       struct asc_err *e);

#endif
