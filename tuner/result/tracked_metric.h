/* Tracked metrics: those that have a better and a worse, and so histories of their own. Other
 * metrics only help to explain a time: counters grow with the number of launches, power and clocks
 * are better neither high nor low. */
#ifndef ASCTUNE_RESULT_TRACKED_METRIC_H
#define ASCTUNE_RESULT_TRACKED_METRIC_H

#include <stdbool.h>

struct tracked_metric {
	const char *name, *unit, *meaning;
	const char *probe, *metric; /* source of the value; probe TRACKED_BUILD: the build's time */
	bool higher_is_better;
	double least_pct; /* smaller changes do not count */
};

#define TRACKED_BUILD "build"

extern const struct tracked_metric tracked_metrics[]; /* ended by a NULL name */
enum { TRACKED_METRICS = 5 };

/* Finds the tracked metric of a metric; NULL: none. */
const struct tracked_metric *tracked_metric_find(const char *probe, const char *metric);

#endif
