#include "tuner/tune/replay/curves.h"

#include <math.h>
#include <stdlib.h>

/* ---- monotone cubic interpolation ---- */

/* Slope at an inner point: a weighted harmonic mean of those beside it, or 0 at an extremum. */
static double inner_slope(double h0, double h1, double m0, double m1)
{
	const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;

	return m0 * m1 > 0 ? (w0 + w1) / (w0 / m0 + w1 / m1) : 0;
}

/* Slope at an end: of the parabola through three points, kept monotone. h0 and m0 are next to it.
 */
static double end_slope(double h0, double h1, double m0, double m1)
{
	const double d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);

	if (d * m0 <= 0)
		return 0;
	return m0 * m1 <= 0 && fabs(d) > 3 * fabs(m0) ? 3 * m0 : d;
}

static void find_slopes(const double *x, const double *y, size_t n, double *slopes)
{
	double h0 = x[1] - x[0], m0 = (y[1] - y[0]) / h0;

	slopes[0] = slopes[n - 1] = m0;
	for (size_t i = 1; i + 1 < n; i++) {
		const double h1 = x[i + 1] - x[i], m1 = (y[i + 1] - y[i]) / h1;

		slopes[i] = inner_slope(h0, h1, m0, m1);
		if (i == 1)
			slopes[0] = end_slope(h0, h1, m0, m1);
		if (i + 2 == n)
			slopes[n - 1] = end_slope(h1, h0, m1, m0);
		h0 = h1;
		m0 = m1;
	}
}

enum asc_status curve_pchip(const double *x, const double *y, size_t n, const double *at, size_t m,
			    double *out, struct asc_err *e)
{
	double *slopes = malloc(n * sizeof *slopes);
	size_t k = 0;

	if (!slopes)
		return asc_err_nomem(e);
	find_slopes(x, y, n, slopes);
	for (size_t i = 0; i < m; i++) {
		while (k + 2 < n && at[i] >= x[k + 1])
			k++;
		const double h = x[k + 1] - x[k], t = (at[i] - x[k]) / h, u = 1 - t;

		out[i] = u * u * ((1 + 2 * t) * y[k] + t * h * slopes[k]) +
			 t * t * ((1 + 2 * u) * y[k + 1] - u * h * slopes[k + 1]);
	}
	free(slopes);
	return ASC_OK;
}

/* ---- isotonic regression ---- */

static int compare_points(const void *a, const void *b)
{
	const struct curve_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Points of one level: their number, mean y, and first and last x. */
struct block {
	size_t n;
	double y, first, last;
};

/* Joins blocks while a later one is higher, which the curve may not be. */
static void settle(struct block *blocks, size_t *n)
{
	while (*n > 1 && blocks[*n - 1].y >= blocks[*n - 2].y) {
		struct block *a = &blocks[*n - 2];
		const struct block *b = a + 1;

		a->y = (a->y * (double)a->n + b->y * (double)b->n) / (double)(a->n + b->n);
		a->n += b->n;
		a->last = b->last;
		--*n;
	}
}

/* Pools adjacent violators: returns the number of blocks. Points of one x are one block from the
 * start. */
static size_t pool(const struct curve_point *points, size_t n, struct block *blocks)
{
	size_t n_blocks = 0;

	for (size_t i = 0; i < n;) {
		struct block b = {0, 0, points[i].x, points[i].x};

		for (; i < n && points[i].x == b.first; i++, b.n++)
			b.y += (points[i].y - b.y) / (double)(b.n + 1);
		blocks[n_blocks++] = b;
		settle(blocks, &n_blocks);
	}
	return n_blocks;
}

enum asc_status curve_isotonic(struct curve_point *points, size_t n, const double *at, size_t m,
			       double *out, struct asc_err *e)
{
	struct block *blocks = malloc(n * sizeof *blocks);
	size_t k = 0;

	if (!blocks)
		return asc_err_nomem(e);
	qsort(points, n, sizeof *points, compare_points);
	const size_t n_blocks = pool(points, n, blocks);

	for (size_t i = 0; i < m; i++) {
		while (k + 1 < n_blocks && at[i] >= blocks[k + 1].first)
			k++;
		const struct block *b = &blocks[k], *next = b + 1;

		out[i] = b->y;
		if (k + 1 < n_blocks && at[i] > b->last)
			out[i] += (next->y - b->y) * (at[i] - b->last) / (next->first - b->last);
	}
	free(blocks);
	return ASC_OK;
}
