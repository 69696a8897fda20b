/* Order statistics and tests of samples. Times are nanoseconds. */
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

/* The one-sided rank test of Mann and Whitney: is one set of times longer than another ("On a test
 * of whether one of two random variables is stochastically larger than the other", 1947). */
/* The test is exact when the smaller set has at most so many samples, without ties. */
enum { RANK_TEST_EXACT = 8 };

/* Probability that samples of one distribution make `a` look as much longer than `b` as it does, or
 * more so. Beyond RANK_TEST_EXACT the normal approximation, with corrections for ties and for
 * continuity. 1 when either set is empty. */
double rank_test_longer(const int64_t *a, size_t na, const int64_t *b, size_t nb);

#endif
