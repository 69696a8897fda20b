/* What is recorded of a configuration beside its time and has a better and a worse: the figures
 * that have histories of their own. Other metrics only help to say why a time moved: counters grow
 * with the number of launches, power and clocks are better neither high nor low. */
#ifndef ASCTUNE_MODEL_FIGURE_H
#define ASCTUNE_MODEL_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

struct figure {
	const char *name, *unit, *meaning;
	const char *probe, *metric; /* what it is made of; probe FIGURE_BUILD: the build's time */
	bool higher_is_better;
	bool of_power;    /* watts, times the time of a launch: joules */
	double least_pct; /* a smaller change is none */
};

#define FIGURE_BUILD "build"

extern const struct figure figure_list[]; /* ended by a NULL name */
enum { FIGURE_COUNT = 5 };

/* The figure that a metric makes; NULL: it makes none. */
const struct figure *figure_find(const char *probe, const char *metric);

/* Its value; `ns` is the time of a launch. */
double figure_value(const struct figure *f, double metric, double ns);

#endif
