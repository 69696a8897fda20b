/* Order statistics of samples. Times are nanoseconds. */
#ifndef ASCTUNE_BASE_STATS_STATS_H
#define ASCTUNE_BASE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats_interval {
	bool known;       /* false: too few samples for one */
	double low, high; /* 0 when not known */
};

struct stats_summary {
	size_t n;
	double min, q1, median, q3, max; /* quartiles by linear interpolation between order
					    statistics; all 0 when n is 0 */
	struct stats_interval interval;  /* interval of the median */
};

/* Summarises samples, which are sorted in place. */
void stats_summarize(int64_t *samples, size_t n, struct stats_summary *out);

/* Ranks (from 1) of the order statistics that enclose the median with a probability of at least
 * 95 %, whatever the distribution: binomial, each side at most 2.5 % (Conover, "Practical
 * Nonparametric Statistics", 3.2). False below 6 samples, where there are none. */
bool stats_median_ranks(size_t n, size_t *low, size_t *high);

/* Median and interval of numbers, which are sorted in place; without an interval low and high are
 * the range. n > 0. */
double stats_median(double *numbers, size_t n, struct stats_interval *out);

/* Median like that of stats_median(), in linear time and without an interval: the numbers are
 * reordered. n > 0. */
double stats_select_median(double *numbers, size_t n);

/* The sign test: probability that at least `more` of `n` fair coins show heads. */
double stats_sign_test(size_t more, size_t n);

#endif
