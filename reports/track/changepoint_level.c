#include "reports/track/changepoint_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint_fit.h"
#include "reports/track/changepoint_noise.h"
#include "tuner/base/stats.h"

static const double huber_bound = 2;
static const double borrowed = 5; /* points' worth of the common variance */

struct level level_find(const double *values, size_t n, double *scratch)
{
	double scale = 0, sum = 0, square = 0, inner = 0;

	memcpy(scratch, values, n * sizeof *values);
	double median = stats_select_median(scratch, n);

	for (size_t i = 0; i < n; i++)
		scale += fabs(values[i] - median);
	scale *= sqrt(M_PI / 2) / (double)n;
	if (scale <= 0)
		return (struct level){median, 0};
	for (size_t i = 0; i < n; i++) {
		double r = (values[i] - median) / scale;

		inner += fabs(r) <= huber_bound;
		sum += fmax(-huber_bound, fmin(huber_bound, r));
	}
	double at = median + scale * sum / inner;

	inner = 0;
	for (size_t i = 0; i < n; i++) {
		double r = (values[i] - at) / scale;

		inner += fabs(r) <= huber_bound;
		r = fmax(-huber_bound, fmin(huber_bound, r));
		square += r * r;
	}
	inner /= (double)n;
	return (struct level){at, scale * scale * square / (double)n / (inner * inner)};
}

/* Normal deviate of Student's t: Wallace, "Bounds on normal approximations to Student's and the
 * chi-square distributions", 1959. */
static double normal_of_t(double t, double freedom)
{
	return sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3);
}

/* Student's t at 97.5 %: the first term of the expansion. */
static double t_of_95(double freedom)
{
	const double z = 1.959963984540054;

	return z + (z * z * z + z) / (4 * freedom);
}

/* Probability that the largest of the standardised differences over the positions from `first` to n
 * - `first` exceeds z when nothing changed: Csorgo and Horvath's tail, 1.3.26 for one dimension. */
static double largest_tail(double z, double n, double first)
{
	if (z < 1.5)
		return 1; /* below the range of the expansion, where z shows nothing */
	double l = first / n;
	double width = 2 * log((1 - l) / l), square = z * z;
	double p = z * exp(-square / 2) / sqrt(2 * M_PI) * (width - width / square + 4 / square);

	return p < 1 ? p : 1;
}

struct level_change level_compare(const double *values, const size_t bounds[3],
				  const struct level_rule *rule)
{
	double na = (double)(bounds[1] - bounds[0]), nb = (double)(bounds[2] - bounds[1]);
	double n = na + nb;
	struct level_change c = {
		.before = level_find(values + bounds[0], bounds[1] - bounds[0], rule->scratch),
		.after = level_find(values + bounds[1], bounds[2] - bounds[1], rule->scratch),
	};
	double sa = na * c.before.variance, sb = nb * c.after.variance;
	double common = (sa + sb) / (n > 2 ? n - 2 : 1), grain = rule->grain * rule->grain;
	double va = (sa + borrowed * common) / (na - 1 + borrowed) + grain;
	double vb = (sb + borrowed * common) / (nb - 1 + borrowed) + grain;
	double tilt = rule->drift_error * n / 2; /* over the distance of the segments' middles */
	double error = sqrt(rule->inflation * (va / na + vb / nb) + tilt * tilt);
	double freedom = fmax(2, (n - 2) / rule->inflation);
	double difference = c.after.at - c.before.at;

	c.low = difference - t_of_95(freedom) * error;
	c.high = difference + t_of_95(freedom) * error;
	c.p = error > 0 ? largest_tail(normal_of_t(difference / error, freedom), n, 2)
			: difference == 0;
	return c;
}

enum { PAIRS = 512, LEAST_LAG = 3 };

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
