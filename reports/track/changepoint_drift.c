#include "reports/track/changepoint_drift.h"

#include <math.h>
#include <stdlib.h>

#include "reports/track/changepoint_fit.h"
#include "reports/track/changepoint_noise.h"

enum { PAIRS = 512, LEAST_LAG = 3 };

static const double huber_bound = 2;

static int compare(const void *a, const void *b)
{
	const struct drift_slope *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

double drift_find(const double *values, const struct segments *s, struct drift_slope *scratch)
{
	size_t n = 0, stride = 1 + s->starts[s->n] / PAIRS;
	double half = 0, sum = 0;

	for (size_t k = 0; k < s->n; k++) {
		size_t lag = (s->starts[k + 1] - s->starts[k]) / 2;

		if (lag < LEAST_LAG)
			continue;
		for (size_t i = s->starts[k]; i + lag < s->starts[k + 1]; i += stride) {
			double rise = values[i + lag] - values[i];

			scratch[n++] = (struct drift_slope){rise / (double)lag, (double)lag};
			half += (double)lag / 2;
		}
	}
	qsort(scratch, n, sizeof *scratch, compare);
	for (size_t i = 0; i < n; i++) {
		sum += scratch[i].weight;
		if (sum >= half)
			return scratch[i].at;
	}
	return 0;
}

double drift_refine(const struct noise *o, const struct segments *s)
{
	double bound = huber_bound * noise_spread(o), moment = 0, square = 0;

	for (size_t k = 0; k < s->n; k++) {
		double middle = ((double)s->starts[k] + (double)s->starts[k + 1] - 1) / 2;

		for (size_t i = s->starts[k]; i < s->starts[k + 1]; i++) {
			double r = o->residuals[i], off = (double)i - middle;

			moment += fmax(-bound, fmin(bound, r)) * off;
			square += fabs(r) <= bound ? off * off : 0;
		}
	}
	return square > 0 ? moment / square : 0;
}

double drift_find_error(const struct noise *o, const struct segments *s, double inflation)
{
	double square = 0;

	for (size_t k = 0; k < s->n; k++) {
		double n = (double)(s->starts[k + 1] - s->starts[k]);

		square += n * (n * n - 1) / 12;
	}
	return square > 0 ? noise_spread(o) * sqrt(inflation / square) : 0;
}
