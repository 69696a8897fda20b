#include "reports/track/changepoint/changepoint_outlier.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint/changepoint.h"
#include "reports/track/changepoint/changepoint_fit.h"

enum {
	HALF = SEGMENT_LEAST - 1, /* points on either side: fewer than a segment has */
	WINDOW = 2 * HALF + 1
};

/* Spreads: normal noise is never so far off; a step of a kernel that is, lasts. */
static const double far = 8;
/* Quantile of the differences of neighbours that gives the spread. In series so short that four bad
 * nights, with two large differences each, and a step would reach it, a lower one down to the
 * median. */
static const double differences_part = 0.8;
static const double least_part = 0.5;
static const double bad_differences = 9;

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median_of(const double *values, size_t n)
{
	double sorted[WINDOW];

	memcpy(sorted, values, n * sizeof *values);
	qsort(sorted, n, sizeof *sorted, compare);
	return sorted[n / 2];
}

/* Bound that the absolute value of a standard normal number does not exceed with probability
 * `part`: Newton's steps, which converge from below for parts up to 0.8. */
static double normal_bound(double part)
{
	double z = 0;

	for (int i = 0; i < 30; i++) /* a fixed number, more than any part needs */
		z += (part - erf(z * M_SQRT1_2)) / (M_2_SQRTPI * M_SQRT1_2 * exp(-z * z / 2));
	return z;
}

/* The least difference, the step of a coarse clock, where nearly all neighbours are equal. */
static double find_spread(const double *values, size_t n, double *differences)
{
	const double count = (double)(n - 1);
	const double part = fmin(differences_part, fmax(1 - bad_differences / count, least_part));
	size_t at = (size_t)(part * count);

	for (size_t i = 1; i < n; i++)
		differences[i - 1] = fabs(values[i] - values[i - 1]);
	qsort(differences, n - 1, sizeof *differences, compare);
	while (at + 1 < n - 1 && differences[at] <= 0) /* a spread of 0 makes all outliers */
		at++;
	return differences[at] / (M_SQRT2 * normal_bound(part));
}

void outliers_replace(const double *values, size_t n, double *scratch, double *out)
{
	if (n < CHANGEPOINT_POINTS) {
		memmove(out, values, n * sizeof *values);
		return;
	}
	const double bound = far * find_spread(values, n, scratch);
	/* Windows that reach beyond the newest point take in its place the level that the last two
	 * points share, else the one before them: one far point at the end is no level yet. */
	const size_t before = n - 2 < WINDOW ? n - 2 : WINDOW;
	const double last[3] = {values[n - 2], values[n - 1],
				median_of(values + n - 2 - before, before)};
	const double next = median_of(last, 3);
	double *medians = scratch; /* of the windows that begin at each point */
	const size_t half = HALF, whole = 2 * half;

	for (size_t i = 0; i < n; i++) {
		double window[WINDOW];

		for (size_t k = 0; k < WINDOW; k++)
			window[k] = i + k < n ? values[i + k] : next;
		medians[i] = median_of(window, WINDOW);
	}
	/* A point that is near any of three levels keeps its value: that of the points up to it,
	 * around it, or from it on. Beside a step two of them may be of the other side. Far from
	 * all three it is an outlier, and counts as their median. */
	for (size_t i = 0; i < n; i++) {
		const double levels[3] = {medians[i < whole ? 0 : i - whole],
					  medians[i < half ? 0 : i - half], medians[i]};
		bool is_near = false;

		for (size_t k = 0; k < 3; k++)
			is_near |= fabs(values[i] - levels[k]) <= bound;
		out[i] = is_near ? values[i] : median_of(levels, 3);
	}
}

double outliers_probability(size_t n, size_t least, double part)
{
	double p = 0;

	for (size_t k = least; k <= n; k++) {
		double ways = 1;

		for (size_t i = 0; i < k; i++)
			ways *= (double)(n - i) / (double)(i + 1);
		p += ways * pow(part, (double)k) * pow(1 - part, (double)(n - k));
	}
	return p;
}
