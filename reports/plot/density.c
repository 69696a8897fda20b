#include "reports/plot/density.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 512 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static void find_box(const double *sorted, struct density *d)
{
	size_t first = 0, last = d->n - 1;

	d->q1 = quantile(sorted, d->n, 0.25);
	d->median = quantile(sorted, d->n, 0.5);
	d->q3 = quantile(sorted, d->n, 0.75);
	double reach = 1.5 * (d->q3 - d->q1);
	while (sorted[first] < d->q1 - reach)
		first++;
	while (sorted[last] > d->q3 + reach)
		last--;
	d->low = sorted[first];
	d->high = sorted[last];
}

/* Of logarithms that are sorted. */
static double band_width(const double *logs, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += logs[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (logs[i] - mean) * (logs[i] - mean);
	double spread = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	double quartiles = (quantile(logs, n, 0.75) - quantile(logs, n, 0.25)) / 1.34;
	if (quartiles > 0 && quartiles < spread)
		spread = quartiles;
	double width = 0.9 * spread * pow((double)n, -0.2);
	return width > 1e-4 ? width : 1e-4;
}

/* Values are counted in bins first, so that many of them cost little. */
static void find_density(const double *logs, struct density *d)
{
	double h = band_width(logs, d->n), most = 0;
	double low = logs[0] - 2 * h, high = logs[d->n - 1] + 2 * h;
	double step = (high - low) / (BINS - 1), count[BINS] = {0};

	for (size_t i = 0; i < d->n; i++)
		count[(int)((logs[i] - low) / step + 0.5)]++;
	for (int k = 0; k < DENSITY_POINTS; k++) {
		double at = low + (high - low) * k / (DENSITY_POINTS - 1), sum = 0;
		for (int b = 0; b < BINS; b++) {
			double u = (low + b * step - at) / h;
			sum += count[b] > 0 ? count[b] * exp(-u * u / 2) : 0;
		}
		d->at[k] = exp(at);
		d->height[k] = sum;
		most = fmax(most, sum);
	}
	for (int k = 0; k < DENSITY_POINTS; k++)
		d->height[k] /= most;
}

enum asc_status density_find(const double *values, size_t n, struct density *out, struct asc_err *e)
{
	double *sorted = calloc(n + 1, sizeof *sorted);

	*out = (struct density){0};
	if (!sorted)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && values[i] > 0)
			sorted[out->n++] = values[i];
	if (out->n) {
		qsort(sorted, out->n, sizeof *sorted, compare);
		find_box(sorted, out);
		for (size_t i = 0; i < out->n; i++)
			sorted[i] = log(sorted[i]);
		find_density(sorted, out);
	}
	free(sorted);
	return ASC_OK;
}
