/* Two neighbouring segments compared: how far apart are their levels, and how surely. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_LEVEL_H
#define ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_LEVEL_H

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
	double deviate;   /* difference in standard errors, as a normal deviate */
	double p; /* probability that the largest difference over all positions is so large by
		     chance */
};

struct level_rule {
	double inflation;   /* factor by which autocorrelation widens variances */
	double grain;       /* standard deviation of the values */
	double drift_error; /* standard error of the slope that was taken out; 0: none was */
	double spread;   /* standard deviation of single points; only level_compare_newest() uses it
			  */
	double *scratch; /* as long as a segment */
};

/* Huber's location of values ("Robust Estimation of a Location Parameter", 1964), with his bound at
 * 2 and the scale by the mean absolute deviation; variance by his psi. n > 0. */
struct level level_find(const double *values, size_t n, double *scratch);

/* Compares values[from..at) with values[at..to), neither empty. Short segments borrow from the
 * variance of both sides: as if 5 more points had shown it. */
struct level_change level_compare(const double *values, const size_t bounds[3],
				  const struct level_rule *rule);

enum { NEWEST_MOST = 10 }; /* points of the newest segment that has a rule of its own */

/* Compares values[from..at) with the newest points, values[at..to), at most NEWEST_MOST. More bad
 * nights are no evidence against a change: points beyond the middle one that is nearer to the old
 * level count as two spreads beyond it at most, and the noise is that of both sides together. The
 * middle one itself must be off the old level by half of the difference, so that a few high values
 * among equal ones are no new level. */
struct level_change level_compare_newest(const double *values, const size_t bounds[3],
					 const struct level_rule *rule);

/* Returns the least difference between `before` points and the `after` newest ones behind them that
 * exceeds `deviate` with a probability of 90 %, in standard deviations of single points:
 * (t + 1.2816) sqrt(inflation (1 / before + 1 / after)), t being Student's quantile where the
 * normal one is `deviate`. */
double level_find_floor(double before, double after, double deviate, double inflation);

/* Normal deviate above which the p of a change is below `p`, among `points` points. */
double level_find_deviate(double p, double points);

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
