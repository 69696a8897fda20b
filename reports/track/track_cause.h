/* Causes of changes, by recorded facts: the same configuration became slower, another one won, or
 * device, driver, source or toolchain changed. */
#ifndef ASCTUNE_TRACK_TRACK_CAUSE_H
#define ASCTUNE_TRACK_TRACK_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct track_point;
struct track_series;

/* Sets cause and why of a series: where it changed, the cause; where it is broken, how its
 * configurations failed. Adds to its doubt why the newest point cannot be judged. */
enum asc_status track_cause_find(struct track_series *s, const struct track_point *points,
				 struct db *d, struct asc_err *e);

/* Sets cause, why and old best of a change whose points may be of different databases; `d` is that
 * of the points behind it. Metrics are left out. */
enum asc_status track_cause_find_between(struct track_series *s, const struct track_point *points,
					 struct db *d, struct asc_err *e);

/* Finds the status, static, of the failure that withdrew a configuration since it passed in a run,
 * in a run of any time on the same device and problem; *fails NULL: none did. */
enum asc_status track_cause_find_withdrawal(struct db *d, int64_t run_id,
					    const char *implementation, const char *config_key,
					    const char **fails, struct asc_err *e);

struct track_clocks { /* MHz; 0: unknown */
	double before, after;
};

/* Finds the clocks on either side of a change; true where they differ. */
bool track_cause_clocks(const struct track_series *s, const struct track_point *points,
			struct track_clocks *out);

/* Point whose configuration represents the points from..to-1: the one that won most often in the
 * newest nine, the later one of equals. NULL without points. */
const struct track_point *track_cause_usual(const struct track_point *points, size_t from,
					    size_t to);

/* Index of the first point of the segment before the newest change. */
size_t track_cause_before(const struct track_series *s);

#endif
