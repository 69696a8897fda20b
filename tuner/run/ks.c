#include "tuner/run/ks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ks_tail(double lambda)
{
	double sum = 0;

	if (lambda < 0.2) /* the series is slow there; 1 - 1e-11 at 0.2 */
		return 1;
	for (int j = 1; j <= 100; j++) {
		double term = 2 * exp(-2.0 * j * j * lambda * lambda);
		sum += j % 2 ? term : -term;
		if (term < 1e-17)
			break;
	}
	return fmin(fmax(sum, 0), 1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Both sorted, n each. */
static double distance(const double *a, const double *b, size_t n)
{
	size_t i = 0, j = 0, farthest = 0;

	while (i < n && j < n) {
		double x = a[i] < b[j] ? a[i] : b[j];
		while (i < n && a[i] == x)
			i++;
		while (j < n && b[j] == x)
			j++;
		size_t apart = i > j ? i - j : j - i;
		if (apart > farthest)
			farthest = apart;
	}
	return (double)farthest / (double)n;
}

enum asc_status ks_test(enum dtype dtype, const void *out, const double *reference, size_t n,
			struct ks *ks, struct asc_err *e)
{
	double *a = malloc((2 * n + 1) * sizeof *a);

	if (!a)
		return asc_err_nomem(e);
	double *b = a + n;
	*ks = (struct ks){.p = 1};
	dtype_to_double(dtype, out, a, n);
	for (size_t i = 0; i < n; i++)
		ks->not_finite += !isfinite(a[i]) || !isfinite(reference[i]);
	if (ks->not_finite == 0 && n > 0) {
		memcpy(b, reference, n * sizeof *b);
		qsort(a, n, sizeof *a, compare);
		qsort(b, n, sizeof *b, compare);
		double root = sqrt((double)n / 2);
		ks->distance = distance(a, b, n);
		ks->p = ks_tail((root + 0.12 + 0.11 / root) * ks->distance);
	}
	free(a);
	return ASC_OK;
}
