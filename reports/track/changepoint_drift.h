/* The slope that all segments of a series share. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_DRIFT_H
#define ASCTUNE_TRACK_CHANGEPOINT_DRIFT_H

#include <stddef.h>

struct noise;
struct segments;

struct drift_slope { /* of a pair of points */
	double at, weight;
};

/* The median of the slopes between points that are half a segment apart, weighted by their
 * distance; of at most about 500 pairs. `scratch` has room for as many as there are points. */
double drift_find(const double *values, const struct segments *s, struct drift_slope *scratch);

/* What least squares add to a slope, from the residuals that it left: one step of Huber's
 * estimator, which clips them at twice their spread. */
double drift_refine(const struct noise *o, const struct segments *s);

/* Standard error of that slope where autocorrelation widens variances by `inflation`. */
double drift_find_error(const struct noise *o, const struct segments *s, double inflation);

#endif
