/* Two choices of runs compared kernel by kernel: runs, nights, devices or databases.
 *
 * Of each kernel and implementation the newest chosen run counts, with its time as a point of a
 * history. What both sides measured is compared: on the same device, else across devices where
 * either side has one. The interval of a change is that of two moments (result/tie), and not
 * narrower than what single points of its history scatter by. Owned by the caller:
 * track_comparison_free(). */
#ifndef ASCTUNE_TRACK_TRACK_COMPARE_H
#define ASCTUNE_TRACK_TRACK_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tuner/base/err.h"

struct db;

enum track_side_index { TRACK_BASE, TRACK_AGAINST, TRACK_SIDES };

struct track_side { /* borrowed */
	struct db *db;
	const char *path; /* path of the database, NULL for a page that does not name it; both sides
			     of one database have the same `db` */
	const char *name; /* name for people: "run 12", "2026-11-22", a device, a file */
	const char *word; /* the choice as it was given; NULL: all of the database */
	struct track_choice choice;
};

struct track_pair {
	/* Series of two points, 0 of the base and 1 behind it, named as that behind it. Its verdict
	 * is broken (one point, nothing passed behind it), a regression, an improvement, undecided
	 * where it may be chance among so many, or unchanged: within noise. Its baseline is that of
	 * the same run. */
	struct track_series change;
	struct track_point points[TRACK_SIDES];
	double values[TRACK_SIDES];
	const char *base_device; /* device of the base */
	bool other_device;       /* it is not that of the series */
};

struct track_unpaired { /* what one side measured and is not compared */
	const struct track_series *series;
	enum track_side_index side;
	const char *why;
};

struct track_comparison {
	struct track_history *sides[TRACK_SIDES]; /* chosen runs */
	struct track_pair *pairs;                 /* the worst first */
	size_t n;
	struct track_unpaired *others;
	size_t n_others;
	struct track_rule rule; /* that changes were judged by */
	bool several_devices;   /* devices of the pairs differ, or are several */
};

/* Reads both sides and compares them. ASC_INPUT where a side has no search that ended with a
 * measurement, where both sides are the same runs, or have no kernel in common. */
enum asc_status track_compare(const struct track_side sides[TRACK_SIDES],
			      const struct track_rule *rule, struct track_comparison **out,
			      struct asc_err *e);
void track_comparison_free(struct track_comparison *c);

#endif
