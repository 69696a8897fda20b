/* Two neighbouring segments compared: how far apart are their levels, and how surely. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_LEVEL_H
#define ASCTUNE_TRACK_CHANGEPOINT_LEVEL_H

#include <stddef.h>

struct noise;
struct segments;

struct level {
	double at;       /* Huber's location, one step from the median */
	double variance; /* variance that one point contributes: divided by n, the variance of `at`
			  */
};

struct level_change {
	struct level before, after;
	double low, high; /* 95 % interval of after - before */
	double p; /* probability that the largest difference over all positions is so large by
		     chance */
};

struct level_rule {
	double inflation;   /* factor by which autocorrelation widens variances */
	double grain;       /* standard deviation of the values */
	double drift_error; /* standard error of the slope that was taken out; 0: none was */
	double *scratch;    /* as long as a segment */
};

/* Huber's location of values ("Robust Estimation of a Location Parameter", 1964), with his bound at
 * 2 and the scale by the mean absolute deviation; variance by his psi. n > 0. */
struct level level_find(const double *values, size_t n, double *scratch);

/* Compares values[from..at) with values[at..to), neither empty. Short segments borrow from the
 * variance of both sides: as if 5 more points had shown it. */
struct level_change level_compare(const double *values, const size_t bounds[3],
				  const struct level_rule *rule);

/* ---- the slope that all segments of a series share ---- */

struct drift_slope { /* slope of a pair of points, and its weight */
	double at, weight;
};

/* Median of the slopes between points that are half a segment apart, weighted by their distance;
 * from at most about 500 pairs. `scratch` has room for as many as there are points. */
double drift_find(const double *values, const struct segments *s, struct drift_slope *scratch);

/* Correction of a slope by least squares on the residuals that it left: one step of Huber's
 * estimator, which clips them at twice their spread. */
double drift_refine(const struct noise *o, const struct segments *s);

/* Standard error of that slope where autocorrelation widens variances by `inflation`. */
double drift_find_error(const struct noise *o, const struct segments *s, double inflation);

#endif
