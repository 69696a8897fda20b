/* Tracked metrics: those that have a better and a worse, and so histories of their own. Other
 * metrics only help to explain a time: counters grow with the number of launches, power and clocks
 * are better neither high nor low. */
#ifndef ASCTUNE_RESULTS_FIGURE_H
#define ASCTUNE_RESULTS_FIGURE_H

#include <stdbool.h>

struct figure {
	const char *name, *unit, *meaning;
	const char *probe, *metric; /* source of the value; probe FIGURE_BUILD: the build's time */
	bool higher_is_better;
	bool of_power;    /* source in watts, times the time of a launch: joules */
	double least_pct; /* smaller changes do not count */
};

#define FIGURE_BUILD "build"

extern const struct figure figure_list[]; /* ended by a NULL name */
enum { FIGURE_COUNT = 5 };

/* Finds the tracked metric of a metric; NULL: none. */
const struct figure *figure_find(const char *probe, const char *metric);

/* Value of the tracked metric; `ns` is the time of a launch. */
double figure_value(const struct figure *f, double metric, double ns);

#endif
