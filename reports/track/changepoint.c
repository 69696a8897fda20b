#include "reports/track/changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint_fit.h"
#include "reports/track/changepoint_level.h"
#include "reports/track/changepoint_noise.h"
#include "tuner/base/stats.h"

enum {
	NEWEST = 10,         /* points that step 5 looks at */
	DRIFT_PARTS = 8,     /* a drift is that over an eighth of the series, */
	STEADY_PARTS = 2,    /* or over half of it, ... */
	STEADY_POINTS = 1600 /* ... in shorter ones: noise hardly moves an eighth of others */
};

static const double segment_price = 2;      /* times ln n: a place and a level */
static const double penalty_step = M_SQRT2; /* between the penalties that are tried */
static const double stands_below_p = 0.001; /* step 4 */
static const double newest_below_p = 0.01;  /* step 5 */

struct search {
	const double *values; /* as given */
	double *flat;         /* without the drift */
	size_t n;
	struct changepoint_fit *fit;
	struct noise noise;
	struct segments trial, found, best; /* best: of the search so far, its price, its drift */
	double price, drift;
	size_t *starts; /* of the three */
	double *reals;  /* flat, and what noise needs */
};

static enum asc_status search_init(struct search *s, const double *values, size_t n,
				   struct asc_err *e)
{
	*s = (struct search){.values = values, .n = n, .price = INFINITY};
	s->starts = calloc(3 * (n + 1), sizeof *s->starts);
	s->reals = calloc(3 * n, sizeof *s->reals);
	if (!s->starts || !s->reals)
		return asc_err_nomem(e);
	s->trial.starts = s->starts;
	s->found.starts = s->starts + n + 1;
	s->best.starts = s->starts + 2 * (n + 1);
	s->flat = s->reals;
	s->noise = (struct noise){.residuals = s->reals + n, .scratch = s->reals + 2 * n, .n = n};
	return changepoint_fit_new(n, &s->fit, e);
}

static void search_fini(struct search *s)
{
	changepoint_fit_free(s->fit);
	free(s->starts);
	free(s->reals);
}

static void copy(struct segments *to, const struct segments *from)
{
	memcpy(to->starts, from->starts, (from->n + 1) * sizeof *to->starts);
	to->n = from->n;
}

static void take_out(struct search *s, double drift)
{
	for (size_t i = 0; i < s->n; i++)
		s->flat[i] = s->values[i] - drift * (double)i;
}

/* ---- steps 1 and 2 ---- */

static double price_of(struct search *s, const struct segments *segments)
{
	double n = (double)s->n;

	noise_set(&s->noise, s->flat, segments);
	return n * noise_log_scale(&s->noise) + segment_price * log(n) * (double)segments->n;
}

/* The cheapest segments of the flat series, in s->found. */
static double find_segments(struct search *s)
{
	changepoint_fit_set(s->fit, s->flat);
	double total = changepoint_fit_total(s->fit);

	s->found.n = 1;
	s->found.starts[0] = 0;
	s->found.starts[1] = s->n;
	double least = price_of(s, &s->found), penalty = total / 2;
	size_t tries = (size_t)(2 * log2(5 * (double)s->n)); /* to a tenth of a point's share */

	if (!isfinite(total))
		return least; /* numbers too large for sums */
	for (; tries > 0; tries--) {
		changepoint_fit_run(s->fit, penalty, &s->trial);
		penalty /= penalty_step;
		if (s->trial.n == 1)
			continue;
		if (s->trial.n > s->n / 4 + 1)
			break; /* that is noise */
		double price = price_of(s, &s->trial);

		if (price < least) {
			least = price;
			copy(&s->found, &s->trial);
		}
	}
	return least;
}

/* ---- step 3 ---- */

/* Median slope over a part of the series, between points of one segment of s->found; 0 where too
 * few pairs are left. Over an eighth a few steps hardly move it; over half it is that of a series
 * without any, and the noise moves it a sixth as much. */
static double find_drift(struct search *s, size_t parts)
{
	size_t lag = s->n / parts, pairs = 0, k = 0;

	if (lag < 4)
		return 0;
	for (size_t i = lag; i < s->n; i++) {
		while (s->found.starts[k + 1] <= i)
			k++;
		if (s->found.starts[k] + lag <= i)
			s->noise.scratch[pairs++] = s->values[i] - s->values[i - lag];
	}
	return pairs > s->n / 3 ? stats_select_median(s->noise.scratch, pairs) / (double)lag : 0;
}

/* Searches with a drift taken out; it costs as much as a segment. */
static void try_drift(struct search *s, double drift)
{
	double extra = drift == 0 ? 0 : segment_price * log((double)s->n);

	take_out(s, drift);
	double price = find_segments(s) + extra;

	if (price < s->price) {
		s->price = price;
		s->drift = drift;
		copy(&s->best, &s->found);
	}
}

/* Without a drift; with the one that the whole series shows; with the one that the segments then
 * found show. A drift below the spread is not worth a search. */
static void find_best(struct search *s)
{
	try_drift(s, 0);
	noise_set(&s->noise, s->flat, &s->best);
	double matters = noise_spread(&s->noise) / (double)s->n;

	s->found.n = 1;
	s->found.starts[1] = s->n;
	double drift = find_drift(s, DRIFT_PARTS);
	double steady = s->n < STEADY_POINTS ? find_drift(s, STEADY_PARTS) : 0;

	if (fabs(drift) > matters) {
		try_drift(s, drift);
		double again = s->found.n > 1 ? find_drift(s, DRIFT_PARTS) : drift;

		if (again != 0 && fabs(again - drift) > matters / 2)
			try_drift(s, again);
	}
	if (s->best.n > 1 && fabs(steady) > matters)
		try_drift(s, steady);
	take_out(s, s->drift);
}

/* ---- steps 4 and 5 ---- */

static struct level_rule rule_of(struct search *s)
{
	noise_set(&s->noise, s->flat, &s->best);
	return (struct level_rule){noise_inflation(&s->noise), s->noise.grain, s->noise.scratch};
}

static void drop_weak(struct search *s)
{
	for (;;) {
		struct level_rule rule = rule_of(s);
		double weakest = stands_below_p;
		size_t at = 0;

		for (size_t k = 1; k < s->best.n; k++) {
			double p = level_compare(s->flat, s->best.starts + k - 1, &rule).p;

			if (p > weakest) {
				weakest = p;
				at = k;
			}
		}
		if (at == 0)
			return;
		memmove(s->best.starts + at, s->best.starts + at + 1,
			(s->best.n - at) * sizeof *s->best.starts);
		s->best.n--;
	}
}

/* The noise is that beside the change, or else it would hide itself. */
static double newest_p(struct search *s, size_t at)
{
	size_t *last = s->best.starts + s->best.n++;

	last[0] = at;
	last[1] = s->n;
	struct level_rule rule = rule_of(s);
	double p = level_compare(s->flat, last - 1, &rule).p;

	s->best.n--;
	last[0] = s->n;
	return p;
}

static void add_newest(struct search *s)
{
	size_t from = s->best.starts[s->best.n - 1], at = 0;
	double least = newest_below_p;

	for (size_t k = SEGMENT_LEAST_LAST; k <= NEWEST && from + SEGMENT_LEAST + k <= s->n; k++) {
		double p = newest_p(s, s->n - k);

		if (p < least) {
			least = p;
			at = s->n - k;
		}
	}
	if (at == 0)
		return;
	s->best.starts[s->best.n++] = at;
	s->best.starts[s->best.n] = s->n;
}

static enum asc_status describe(struct search *s, struct changepoints *out, struct asc_err *e)
{
	struct level_rule rule = rule_of(s);

	out->drift = s->drift;
	out->spread = noise_spread(&s->noise);
	if (s->best.n < 2)
		return ASC_OK;
	out->list = calloc(s->best.n - 1, sizeof *out->list);
	if (!out->list)
		return asc_err_nomem(e);
	for (size_t k = 1; k < s->best.n; k++) {
		struct level_change c = level_compare(s->flat, s->best.starts + k - 1, &rule);
		double drifted = s->drift * (double)s->best.starts[k];

		out->list[out->n++] = (struct changepoint){s->best.starts[k],
							   c.before.at + drifted,
							   c.after.at + drifted,
							   c.low,
							   c.high,
							   c.p};
	}
	return ASC_OK;
}

enum asc_status changepoints_find(const double *values, size_t n, struct changepoints *out,
				  struct asc_err *e)
{
	struct search s;

	*out = (struct changepoints){0};
	if (n < CHANGEPOINT_POINTS)
		return ASC_OK;
	enum asc_status status = search_init(&s, values, n, e);

	if (status == ASC_OK)
		s.noise.grain = noise_find_grain(&s.noise, values);
	if (status == ASC_OK && s.noise.grain > 0) {
		find_best(&s);
		drop_weak(&s);
		add_newest(&s);
		status = describe(&s, out, e);
	}
	search_fini(&s);
	return status;
}

void changepoints_fini(struct changepoints *c)
{
	free(c->list);
	*c = (struct changepoints){0};
}
