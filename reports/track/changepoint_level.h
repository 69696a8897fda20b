/* Two neighbouring segments compared: how far apart are their levels, and how surely. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_LEVEL_H
#define ASCTUNE_TRACK_CHANGEPOINT_LEVEL_H

#include <stddef.h>

struct level {
	double at;       /* Huber's location, one step from the median */
	double variance; /* of what one point adds to it: over n, that of `at` */
};

struct level_change {
	struct level before, after;
	double low, high; /* 95 % interval of after - before */
	double p;         /* that the largest difference over all positions is so large by chance */
};

struct level_rule {
	double inflation;   /* of variances by autocorrelation */
	double grain;       /* of the values */
	double drift_error; /* standard error of the slope that was taken out; 0: none was */
	double *scratch;    /* as long as a segment */
};

/* Huber, "Robust Estimation of a Location Parameter", 1964, with his bound at 2 and the scale by
 * the mean absolute deviation; variance by his psi. n > 0. */
struct level level_find(const double *values, size_t n, double *scratch);

/* values[from..at) against values[at..to), neither empty. Few points borrow from the variance of
 * both sides: as if 5 more had shown it. */
struct level_change level_compare(const double *values, const size_t bounds[3],
				  const struct level_rule *rule);

#endif
