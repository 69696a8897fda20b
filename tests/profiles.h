/* Profiles for tests of what shows them; the figures are invented, and so few that a test can say
 * what comes of them. */
#ifndef ASCTUNE_TESTS_PROFILES_H
#define ASCTUNE_TESTS_PROFILES_H

#include "tuner/result/profile.h"

struct profile_figure {
	const char *name, *unit;
	double value;
};

/* What is known of a softmax, which memory limits, on a GPU with counters; ended by a NULL name. */
extern const struct profile_figure profile_softmax[];

/* Fills a profile with figures; `probe` of those that are counted. Ends the program when out of
 * memory. */
void profile_fill(struct profile *p, const char *probe, const struct profile_figure *list);

/* Adds one reading; value NaN with a reason: there is none. */
void profile_add(struct profile *p, const char *probe, const char *name, const char *unit,
		 double value, int call, const char *reason);

/* The softmax with its label, as a run of its default set leaves it. */
void profile_make_softmax(struct profile *p);

#endif
