/* The one-sided rank test of Mann and Whitney: is one set of times longer than another ("On a test
 * of whether one of two random variables is stochastically larger than the other", 1947). */
#ifndef ASCTUNE_BASE_STATS_RANK_TEST_H
#define ASCTUNE_BASE_STATS_RANK_TEST_H

#include <stddef.h>
#include <stdint.h>

enum {
	RANK_TEST_EXACT = 8
}; /* the test is exact when the smaller set has at most so many, without ties */

/* Probability that samples of one distribution make `a` look as much longer than `b` as it does, or
 * more so. Beyond RANK_TEST_EXACT the normal approximation, with corrections for ties and for
 * continuity. 1 when either set is empty. */
double rank_test_longer(const int64_t *a, size_t na, const int64_t *b, size_t nb);

#endif
