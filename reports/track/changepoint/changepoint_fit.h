/* Piecewise constants by least absolute deviations, with a penalty for each segment. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_FIT_H
#define ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_FIT_H

#include <stddef.h>

#include "tuner/base/err.h"

enum {
	SEGMENT_LEAST = 5,     /* least points of a segment: fewer are outliers */
	SEGMENT_LEAST_LAST = 2 /* least points of the newest segment, which still grows */
};

struct segments {
	size_t *starts; /* n + 1: starts[0] is 0, starts[n] the number of points */
	size_t n;
};

struct changepoint_fit;

/* Makes storage for series of `n` points, n > 0; freed with changepoint_fit_free(), which accepts
 * NULL. */
enum asc_status changepoint_fit_new(size_t n, struct changepoint_fit **out, struct asc_err *e);
void changepoint_fit_free(struct changepoint_fit *f);

/* Sets the values to be fitted; borrowed. */
void changepoint_fit_set(struct changepoint_fit *f, const double *values);

/* Sum of absolute deviations from the median of all. */
double changepoint_fit_total(struct changepoint_fit *f);

/* Finds the segments that minimise the absolute deviations from their medians plus `penalty` for
 * each. `out` has room for n + 1 starts. Exact up to about 600 points; in longer series, beyond the
 * reach of the table, shorter segments are joined while that pays. */
void changepoint_fit_run(struct changepoint_fit *f, double penalty, struct segments *out);

#endif
