#include "reports/track/changepoint/changepoint_noise.h"

#include <math.h>
#include <string.h>

#include "reports/track/changepoint/changepoint_fit.h"
#include "tuner/base/stats/stats.h"

static const double sigma_per_deviation = 1.2533141373155003; /* sqrt(pi / 2), normal noise */

double noise_find_grain(struct noise *o, const double *values)
{
	struct stats_interval unused;
	size_t n = 0;

	memcpy(o->scratch, values, o->n * sizeof *values);
	(void)stats_median(o->scratch, o->n, &unused); /* sorts */
	for (size_t i = 1; i < o->n; i++)
		if (o->scratch[i] > o->scratch[i - 1])
			o->residuals[n++] = o->scratch[i] - o->scratch[i - 1];
	/* A fortieth: rounding to the steps of a clock alone makes a standard deviation of 0.29
	 * steps, in which this is lost, and where values repeat it keeps the logarithm finite. */
	return n ? stats_select_median(o->residuals, n) / 40 : 0;
}

void noise_set(struct noise *o, const double *values, const struct segments *s)
{
	for (size_t k = 0; k < s->n; k++) {
		size_t from = s->starts[k], to = s->starts[k + 1];

		memcpy(o->scratch, values + from, (to - from) * sizeof *values);
		double median = stats_select_median(o->scratch, to - from);

		for (size_t i = from; i < to; i++)
			o->residuals[i] = values[i] - median;
	}
}

static double innovations(const struct noise *o, double rho)
{
	double sum = fabs(o->residuals[0]);

	for (size_t i = 1; i < o->n; i++)
		sum += fabs(o->residuals[i] - rho * o->residuals[i - 1]);
	return sum;
}

/* The sum is convex in rho: golden-section search, to within 0.001. */
static double least_innovations(const struct noise *o)
{
	const double golden = 0.6180339887498949;
	double low = 0, high = 1;
	double left = high - golden, right = golden;
	double at_left = innovations(o, left), at_right = innovations(o, right);

	while (high - low > 0.001) {
		if (at_left < at_right) {
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * (high - low);
			at_left = innovations(o, left);
		} else {
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * (high - low);
			at_right = innovations(o, right);
		}
	}
	/* The search never tries the ends: no autocorrelation, and a random walk. */
	return fmin(fmin(at_left, at_right), fmin(innovations(o, 0), innovations(o, 1)));
}

double noise_log_scale(const struct noise *o)
{
	return log(least_innovations(o) / (double)o->n + o->grain);
}

double noise_spread(const struct noise *o)
{
	double sum = 0;

	for (size_t i = 0; i < o->n; i++)
		sum += fabs(o->residuals[i]);
	return sigma_per_deviation * sum / (double)o->n;
}

/* Lags that are summed: as n^(1/3), the rate at which Bartlett's weights err least. */
static size_t lags_of(size_t n)
{
	return (size_t)(1.5 * cbrt((double)n));
}

double noise_inflation_error(size_t n)
{
	const size_t lags = lags_of(n);
	double sum = 0;

	for (size_t lag = 1; lag <= lags; lag++)
		sum += pow(1 - (double)lag / (double)(lags + 1), 2);
	return 2 * sqrt(sum / (double)n);
}

double noise_inflation(struct noise *o)
{
	size_t lags = lags_of(o->n);
	double spread = noise_spread(o), square = 0, inflation = 1;

	if (spread <= 0)
		return 1;
	for (size_t i = 0; i < o->n; i++) {
		/* Two bad nights at the distance of a lag would make an autocorrelation. */
		o->scratch[i] = fmax(-3, fmin(3, o->residuals[i] / spread));
		square += o->scratch[i] * o->scratch[i];
	}
	for (size_t lag = 1; lag <= lags && lag < o->n; lag++) {
		double sum = 0;

		for (size_t i = lag; i < o->n; i++)
			sum += o->scratch[i] * o->scratch[i - lag];
		inflation += 2 * (1 - (double)lag / (double)(lags + 1)) * sum / square;
	}
	return fmax(inflation, 1);
}
