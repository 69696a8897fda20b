#include "reports/track/changepoint/changepoint_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint/changepoint_fit.h"
#include "reports/track/changepoint/changepoint_noise.h"
#include "tuner/base/stats/stats.h"

/* Standard deviations: residuals beyond count as this far. Of normal noise 2 keeps 99 % of the
 * information, and no bad night pulls the level further than that. */
static const double huber_bound = 2;
/* Points' worth of the common variance that each side is lent: a segment of 5 equal points has no
 * variance of its own, and is not certain for that. */
static const double borrowed = 5;
/* Spreads beyond the middle point up to which the newest ones count: more is a bad night. */
static const double newest_reach = 2;
static const double power_90 = 1.2815515655446004; /* normal quantile of 90 % */

struct level level_find(const double *values, size_t n, double *scratch)
{
	double scale = 0, sum = 0, square = 0, inner = 0;

	memcpy(scratch, values, n * sizeof *values);
	double median = stats_select_median(scratch, n);

	for (size_t i = 0; i < n; i++)
		scale += fabs(values[i] - median);
	scale *= sqrt(M_PI / 2) / (double)n; /* of normal noise from its mean deviation */
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

/* Completes a comparison of levels from the variances of a point on either side. */
static void conclude(struct level_change *c, const size_t bounds[3], double before, double after,
		     const struct level_rule *rule)
{
	const double na = (double)(bounds[1] - bounds[0]), nb = (double)(bounds[2] - bounds[1]);
	const double n = na + nb, grain = rule->grain * rule->grain;
	const double tilt = rule->drift_error * n / 2; /* over the distance of their middles */
	const double error = sqrt(rule->inflation * ((before + grain) / na + (after + grain) / nb) +
				  tilt * tilt);
	/* Autocorrelated points say as much as fewer independent ones. */
	const double freedom = fmax(2, (n - 2) / rule->inflation);
	const double difference = c->after.at - c->before.at;

	c->low = difference - t_of_95(freedom) * error;
	c->high = difference + t_of_95(freedom) * error;
	c->deviate = error > 0 ? normal_of_t(difference / error, freedom) : 0;
	/* The place was searched for, so that the largest of many differences is to be expected;
	 * the ends, where a side has one point, were not among them. */
	c->p = error > 0 ? largest_tail(c->deviate, n, 2) : difference == 0;
}

/* Variance of a point around the levels of both sides together. */
static double find_common(const struct level_change *c, double na, double nb)
{
	return (na * c->before.variance + nb * c->after.variance) / (na + nb > 2 ? na + nb - 2 : 1);
}

struct level_change level_compare(const double *values, const size_t bounds[3],
				  const struct level_rule *rule)
{
	double na = (double)(bounds[1] - bounds[0]), nb = (double)(bounds[2] - bounds[1]);
	struct level_change c = {
		.before = level_find(values + bounds[0], bounds[1] - bounds[0], rule->scratch),
		.after = level_find(values + bounds[1], bounds[2] - bounds[1], rule->scratch),
	};
	const double lent = borrowed * find_common(&c, na, nb);

	conclude(&c, bounds, (na * c.before.variance + lent) / (na - 1 + borrowed),
		 (nb * c.after.variance + lent) / (nb - 1 + borrowed), rule);
	return c;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct level_change level_compare_newest(const double *values, const size_t bounds[3],
					 const struct level_rule *rule)
{
	const size_t n = bounds[2] - bounds[1];
	struct level_change c = {
		.before = level_find(values + bounds[0], bounds[1] - bounds[0], rule->scratch)};
	double newest[NEWEST_MOST];

	memcpy(newest, values + bounds[1], n * sizeof *newest);
	qsort(newest, n, sizeof *newest, ascending);
	/* The middle point decides which way the new level is: of two, the one that says less. */
	const double low = newest[(n - 1) / 2], high = newest[n / 2], old = c.before.at;
	const double middle = fabs(low - old) < fabs(high - old) ? low : high;
	const double reach = newest_reach * rule->spread;

	for (size_t i = 0; i < n; i++)
		newest[i] = middle > old ? fmin(newest[i], middle + reach)
					 : fmax(newest[i], middle - reach);
	c.after = level_find(newest, n, rule->scratch);
	/* A few points know nothing of their own variance. */
	const double common = find_common(&c, (double)(bounds[1] - bounds[0]), (double)n);

	conclude(&c, bounds, common, common, rule);
	/* Most of them are at the old level: a few high ones have drawn the location. */
	if (fabs(middle - old) < fabs(c.after.at - old) / 2) {
		c.deviate = 0;
		c.p = 1;
	}
	return c;
}

/* ---- the floor ---- */

/* Student's t of a normal deviate: the inverse of normal_of_t(). */
static double t_of_normal(double z, double freedom)
{
	const double scaled = z * (8 * freedom + 3) / (8 * freedom + 1);

	return sqrt(freedom * expm1(scaled * scaled / freedom));
}

double level_find_floor(double before, double after, double deviate, double inflation)
{
	const double freedom = fmax(2, (before + after - 2) / inflation);

	return (t_of_normal(deviate, freedom) + power_90) *
	       sqrt(inflation * (1 / before + 1 / after));
}

double level_find_deviate(double p, double points)
{
	double low = 1.5, high = 40; /* the tail falls between them */

	for (int i = 0; i < 60; i++) { /* 38.5 halved to less than a double resolves */
		const double middle = (low + high) / 2;

		if (largest_tail(middle, points, 2) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* ---- the slope that all segments share ---- */

enum {
	PAIRS = 512,  /* of a long series a sample, which is quickly sorted */
	LEAST_LAG = 3 /* points: what a slope moves nearer ones by is lost in their noise */
};

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
