#include "tuner/run/pace.h"

#include <math.h>
#include <string.h>

#include "tuner/base/stats.h"

void pace_set(struct pace *p, const int64_t *samples, size_t n, double normal_ns)
{
	*p = (struct pace){.normal_ns = normal_ns};
	for (size_t i = n > PACE_SAMPLES ? n - PACE_SAMPLES : 0; i < n; i++)
		pace_add(p, samples[i]);
}

void pace_add(struct pace *p, int64_t ns)
{
	if (p->n == PACE_SAMPLES)
		memmove(p->ns, p->ns + 1, --p->n * sizeof *p->ns);
	p->ns[p->n++] = ns;
}

static double newest_median(const struct pace *p)
{
	struct stats_summary s;
	int64_t sorted[PACE_SAMPLES];

	memcpy(sorted, p->ns, sizeof sorted);
	stats_summarize(sorted, p->n, &s);
	return s.median;
}

double pace_factor(const struct pace *p)
{
	return p->normal_ns > 0 && p->n > 0 ? newest_median(p) / p->normal_ns : 1;
}

bool pace_differs(const struct pace *p, int64_t ns, double by)
{
	double median = newest_median(p);

	return fabs((double)ns - median) > by * median;
}
