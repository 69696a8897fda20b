/* Curves through points. */
#ifndef ASCTUNE_TUNE_REPLAY_CURVES_H
#define ASCTUNE_TUNE_REPLAY_CURVES_H

#include <stddef.h>

#include "tuner/base/err.h"

/* Monotone cubic interpolation through n >= 2 points with ascending x (Fritsch and Butland, "A
 * method for constructing local monotone piecewise cubic interpolants", 1984): out[i] is the curve
 * at `at[i]`, ascending, within x[0] .. x[n - 1]. */
enum asc_status curve_pchip(const double *x, const double *y, size_t n, const double *at, size_t m,
			    double *out, struct asc_err *e);

struct curve_point {
	double x, y;
};

/* Isotonic regression: the curve that never rises and is nearest to the points in least squares,
 * linear between them and constant beyond. out[i] is the curve at `at[i]`, ascending. The points,
 * at least one, are sorted. */
enum asc_status curve_isotonic(struct curve_point *points, size_t n, const double *at, size_t m,
			       double *out, struct asc_err *e);

#endif
