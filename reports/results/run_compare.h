/* Comparison of two runs: the configurations that both tried, and the parameters in which two
 * configurations differ. Pure. */
#ifndef ASCTUNE_RESULTS_RUN_COMPARE_H
#define ASCTUNE_RESULTS_RUN_COMPARE_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/stats.h"

struct run_table;
struct run_trial;

struct run_common { /* one configuration: its last trial that passed in each run */
	const struct run_trial *before, *after;
};

struct run_comparison {
	struct run_common *list; /* pairs by implementation and key; borrows from the tables */
	size_t n;
	double ratio; /* after / before: median and its interval, or the range; NaN without any */
	struct stats_interval interval;
	double rank_correlation; /* Spearman's rank correlation, ties with mean ranks; NaN below 3
				    or without order */
};

enum asc_status run_compare(const struct run_table *before, const struct run_table *after,
			    struct run_comparison *out, struct asc_err *e);
void run_comparison_fini(struct run_comparison *c);

struct run_difference { /* a parameter; NULL: the configuration has none of that name */
	const char *name, *before, *after;
};

/* Lists the parameters whose values differ, `most` at most: those of `after` in their order, then
 * those that only `before` has. Returns their number; texts are borrowed. */
size_t run_differences(const struct run_table *before, const struct run_trial *a,
		       const struct run_table *after, const struct run_trial *b,
		       struct run_difference *out, size_t most);

#endif
