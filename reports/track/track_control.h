/* The baseline as a control: a machine that became slower slows the baseline as well as the kernel.
 */
#ifndef ASCTUNE_TRACK_TRACK_CONTROL_H
#define ASCTUNE_TRACK_TRACK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct track_history;
struct track_series;

struct track_control {       /* changes in percent between the segments around a kernel's change, or
				by a drift over the whole series */
	bool known;          /* both were measured in runs of either segment */
	double baseline_pct; /* change of the baseline */
	double ratio_pct, ratio_low_pct, ratio_high_pct; /* change of kernel / baseline, with its
							    95 % interval */
	bool shared;                                     /* track_control_is_shared() */
};

/* True where the baseline moved the same way, at least half as far, and the ratio of kernel and
 * baseline did not change: by less than 1 %, or within its interval. All are changes of logarithms;
 * `low` and `high` bound that of the ratio. Pure. */
bool track_control_is_shared(double kernel, double baseline, double low, double high);

/* Compares a series that changed or drifts with its baseline, over the runs that measured both: the
 * logarithm of their ratio before and after the change, as levels of histories are compared
 * (changepoint_level); of a drift that of the earlier and of the later half of the runs. Fewer than
 * three runs before the change or one behind it are no control. ASC_NOMEM only. */
enum asc_status track_control_find(const struct track_series *s,
				   const struct track_series *baseline, struct track_control *out,
				   struct asc_err *e);

/* Finds the baseline of each series of times, and sets what track_series.h says of it; a metric
 * that changed as well, such as energy, goes with its times. Needs the causes. ASC_NOMEM only. */
enum asc_status track_control_find_all(struct track_history *h, struct asc_err *e);

#endif
