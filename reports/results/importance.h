/* The importance of parameters for the times of a run. Descriptive: shares of the variance of log
 * time over the configurations that were tried and passed, not what changing a parameter would do.
 * Pure. */
#ifndef ASCTUNE_RESULTS_IMPORTANCE_H
#define ASCTUNE_RESULTS_IMPORTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

/* A parameter's value in each configuration, as a position in the list of values. */
struct importance_factor {
	const uint16_t *picks; /* value for each configuration; UINT16_MAX: it has no such
				  parameter, which is a group of its own */
	size_t n_values;
};

struct importance {
	size_t factor;
	double share; /* of the variance; NaN: too few configurations */
};

/* Finds shares that add up to 1 with what is left over. The factor that explains most comes first,
 * then the one that explains most of what the first leaves, and so on. Each is omega squared (Hays,
 * "Statistics for Psychologists", 1963): (SSb - (k-1) MSw) / (SSt + MSw), cut at 0, where SSb are
 * the squares between the k groups of what those before it leave, and MSw is the mean square that
 * all of them leave. Unlike eta squared it does not grow with k.
 *
 * 0 where nothing varies. NaN where there are fewer than two configurations for each value beyond
 * the first of all factors: then some parameter always explains much by chance. `out` has room for
 * all factors. ASC_NOMEM only. */
enum asc_status importance_find(const double *log_times, size_t n,
				const struct importance_factor *factors, size_t n_factors,
				struct importance *out, struct asc_err *e);

struct importance_of_pair {
	double joint; /* omega squared of the pairs of values as groups */
	double extra; /* `joint` without the importance of the two, cut at 0; NaN with a NaN */
};

/* Finds the importance of a pair. ASC_LIMIT for more than 2^24 pairs of values. */
enum asc_status importance_pair(const double *log_times, size_t n,
				const struct importance_factor pair[2],
				struct importance_of_pair *out, struct asc_err *e);

#endif
