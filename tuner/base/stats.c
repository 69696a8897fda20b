#include "tuner/base/stats.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The quantile k/4 of n sorted samples. */
static double quartile(const int64_t *sorted, size_t n, size_t k)
{
	size_t at = (n - 1) * k;
	size_t low = at / 4;
	double below = (double)sorted[low];
	if (at % 4 == 0)
		return below;
	return below + ((double)sorted[low + 1] - below) * (double)(at % 4) / 4;
}

void stats_summarize(int64_t *samples, size_t n, struct stats_summary *out)
{
	*out = (struct stats_summary){.n = n};
	if (n == 0)
		return;
	qsort(samples, n, sizeof *samples, compare);
	out->min = quartile(samples, n, 0);
	out->q1 = quartile(samples, n, 1);
	out->median = quartile(samples, n, 2);
	out->q3 = quartile(samples, n, 3);
	out->max = quartile(samples, n, 4);
}
