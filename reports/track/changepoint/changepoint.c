#include "reports/track/changepoint/changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint/changepoint_fit.h"
#include "reports/track/changepoint/changepoint_level.h"
#include "reports/track/changepoint/changepoint_noise.h"
#include "reports/track/changepoint/changepoint_outlier.h"

/* Numbers of steps are those of the header; tests/bench/changepoints measures the rates. */
enum {
	DRIFTS = 3, /* searches with a drift taken out, each with what the one before found */
	DRIFT_POINTS = 20, /* fewer points fit a slope as well as a step that begins */
	LEAST_BEHIND = 3   /* points behind the oldest ones: fewer are no level beside them */
};

/* Ratio of neighbouring penalties, half an octave: a change that pays only between two of them is
 * found with the lower one, and step 4 drops what that finds too much. */
static const double penalty_step = M_SQRT2;
/* Step 4. The probability is that of the largest difference over all places, so that one bound
 * holds for segments of any length. */
static const double stands_below_p = 0.001;
/* Step 6, standard errors of the newest points: 2 in 100 series of 100 nights of noise are called
 * slower on one of them. */
static const double newest_beyond = 3.95;
/* Step 6. Newest points that outliers as frequent as before explain with at least this probability
 * are no new level: of 100 series in which one night in ten is an outlier, 31 rather than 69 are
 * called slower on one of 100 nights. */
static const double outliers_explain = 0.001;
/* Spreads between a level and the middle of both: nearer levels share so much noise that points
 * beyond the middle are no outliers. */
static const double outliers_beyond = 1.5;
/* Step 5, the oldest points, fewer than a segment needs. Standard errors from which they are a
 * level: noise adds 1 in 1,000 series to the alarms of step 6. Standard deviations from which they
 * may be one; and the probability of outliers up to which that is said as a doubt. */
static const double oldest_beyond = 4.5;
static const double oldest_far = 4;
static const double oldest_doubted = 0.05;
/* Price of a drift in segments: less than one, for a slope has no place to be found. */
static const double drift_part = 0.7;
static const double drift_stands = 3.3; /* step 7, standard errors: p = 0.001 */

struct search {
	double *all, *values;  /* values as taken, scaled: with outliers; without them */
	double *flat, *tilted; /* values without the drift; without the drift under trial */
	size_t n;
	struct changepoint_fit *fit;
	struct noise noise;
	struct segments trial, best; /* best: that of the search so far, with its price and drift */
	double price, drift;
	size_t *starts; /* storage of both lists of starts */
	double *reals;  /* storage of all, values, flat, tilted and the noise estimate */
	struct drift_slope *slopes;
	size_t first; /* oldest points that may be a level; 0: none */
	double first_at;
};

static enum asc_status search_init(struct search *s, size_t n, struct asc_err *e)
{
	*s = (struct search){.n = n, .price = INFINITY};
	s->starts = calloc(2 * (n + 1), sizeof *s->starts);
	s->reals = calloc(6 * n, sizeof *s->reals);
	s->slopes = calloc(n, sizeof *s->slopes);
	if (!s->starts || !s->reals || !s->slopes)
		return asc_err_nomem(e);
	s->trial.starts = s->starts;
	s->best.starts = s->starts + n + 1;
	s->flat = s->reals;
	s->tilted = s->reals + n;
	s->values = s->reals + 4 * n;
	s->all = s->reals + 5 * n;
	s->noise =
		(struct noise){.residuals = s->reals + 2 * n, .scratch = s->reals + 3 * n, .n = n};
	return changepoint_fit_new(n, &s->fit, e);
}

/* Takes the values without outliers. Numbers whose sums or squares could leave the range of doubles
 * are scaled by a power of two, which changes nothing else; returns its exponent. */
static int take_values(struct search *s, const double *values)
{
	enum { RANGE = 400 }; /* squares and their sums stay below 2^1024, the end of doubles */
	double most = 0;
	int exponent = 0;

	for (size_t i = 0; i < s->n; i++)
		most = fmax(most, fabs(values[i]));
	(void)frexp(most, &exponent);
	if (most <= 0 || abs(exponent) < RANGE)
		exponent = 0;
	for (size_t i = 0; i < s->n; i++)
		s->all[i] = ldexp(values[i], -exponent);
	outliers_replace(s->all, s->n, s->noise.scratch, s->values);
	return exponent;
}

static void take_out(struct search *s, double drift)
{
	for (size_t i = 0; i < s->n; i++)
		s->flat[i] = s->values[i] - drift * (double)i;
}

/* ---- steps 1 to 3 ---- */

/* Price of a segment, that is of a place and a level: 1.4 ln n, which finds levels of 15 points,
 * rising to Schwarz's 2 ln n for series of 700 points and more, where apparent short levels are
 * autocorrelation of the noise. */
static double segment_price(const struct search *s)
{
	double n = (double)s->n;

	return fmax(1.4 * log(n), fmin(2 * log(n), sqrt(n) / 2));
}

static double price_of(struct search *s, const double *values, const struct segments *segments)
{
	noise_set(&s->noise, values, segments);
	return (double)s->n * noise_log_scale(&s->noise) + segment_price(s) * (double)segments->n;
}

static void keep_cheaper(struct search *s, const struct segments *segments, double drift,
			 double price)
{
	if (drift != 0)
		price += drift_part * segment_price(s);
	if (price >= s->price)
		return;
	s->price = price;
	s->drift = drift;
	memcpy(s->best.starts, segments->starts, (segments->n + 1) * sizeof *segments->starts);
	s->best.n = segments->n;
}

/* Tries the trial segments on the flat series, then with the slope that they share removed. */
static void try_segments(struct search *s, double drift)
{
	double tilt = drift_find(s->flat, &s->trial, s->slopes);

	keep_cheaper(s, &s->trial, drift, price_of(s, s->flat, &s->trial));
	if (tilt == 0 || s->n < DRIFT_POINTS)
		return;
	for (size_t i = 0; i < s->n; i++)
		s->tilted[i] = s->flat[i] - tilt * (double)i;
	keep_cheaper(s, &s->trial, drift + tilt, price_of(s, s->tilted, &s->trial));
}

/* Tries segments for a range of penalties, on the series without that drift. */
static void try_drift(struct search *s, double drift)
{
	take_out(s, drift);
	changepoint_fit_set(s->fit, s->flat);
	/* From the penalty at which one more segment has to halve all deviations, down to a tenth
	 * of what a single point adds to them: two steps halve it. */
	double penalty = changepoint_fit_total(s->fit) / 2;
	size_t tries = (size_t)(2 * log2(5 * (double)s->n));

	/* No change at all is a candidate, whatever the penalties give. */
	s->trial.n = 1;
	s->trial.starts[0] = 0;
	s->trial.starts[1] = s->n;
	try_segments(s, drift);
	for (; tries > 0; tries--) {
		changepoint_fit_run(s->fit, penalty, &s->trial);
		penalty /= penalty_step;
		if (s->trial.n > s->n / 4 + 1)
			break; /* more segments would be noise */
		if (s->trial.n > 1)
			try_segments(s, drift);
	}
}

/* Finds the segments and the drift whose description is shortest. A step hides in a slope and a
 * slope in steps, so that both are searched for in turn, until the slope stays the same. */
static void find_best(struct search *s)
{
	double tried = 0;

	try_drift(s, 0);
	for (int k = 0; k < DRIFTS && s->drift != tried; k++) {
		tried = s->drift;
		try_drift(s, tried);
	}
	take_out(s, s->drift);
}

/* ---- steps 4 to 6 ---- */

static struct level_rule rule_of(struct search *s)
{
	noise_set(&s->noise, s->flat, &s->best);
	double inflation = noise_inflation(&s->noise);

	return (struct level_rule){
		.inflation = inflation,
		.grain = s->noise.grain,
		.drift_error = s->drift != 0 ? drift_find_error(&s->noise, &s->best, inflation) : 0,
		.spread = noise_spread(&s->noise),
		.scratch = s->noise.scratch};
}

/* Inflation of variances for the newest points: the estimate less two of its standard errors. Noise
 * without autocorrelation has an estimate above 1 as well, which would hide one change in ten. */
static double newest_inflation(double inflation, size_t n)
{
	return fmax(1, inflation - 2 * noise_inflation_error(n));
}

static bool is_newest(const struct search *s, const size_t bounds[3])
{
	return bounds[2] == s->n && bounds[2] - bounds[1] <= NEWEST_MOST;
}

/* True where outliers explain the newest points: those beyond the middle between both levels, as
 * frequent as before. */
static bool may_be_outliers(struct search *s, const size_t bounds[3])
{
	const size_t before = bounds[1] - bounds[0], newest = bounds[2] - bounds[1];
	const double old = level_find(s->flat + bounds[0], before, s->noise.scratch).at;
	const double half =
		(level_find(s->flat + bounds[1], newest, s->noise.scratch).at - old) / 2;
	size_t far[2] = {0};

	if (fabs(half) < outliers_beyond * noise_spread(&s->noise))
		return false;
	/* Counted in the values as taken: outliers are replaced in those that were fitted. */
	for (size_t i = bounds[0]; i < bounds[2]; i++) {
		const double off = s->all[i] - s->drift * (double)i - old;

		far[i >= bounds[1]] += half > 0 ? off > half : off < half;
	}
	/* A series without one says nothing of their frequency. */
	return far[0] > 0 && outliers_probability(newest, far[1], (double)far[0] / (double)before) >
				     outliers_explain;
}

static struct level_change compare_newest(struct search *s, const size_t bounds[3],
					  struct level_rule rule)
{
	rule.inflation = newest_inflation(rule.inflation, s->n);
	struct level_change c = level_compare_newest(s->flat, bounds, &rule);

	if (may_be_outliers(s, bounds)) {
		c.deviate = 0;
		c.p = 1;
	}
	return c;
}

/* Takes out the changes of the list that are weaker than chance, the weakest first; returns whether
 * there were any. `by_its_own`: the newest points stand by the test of their own, too, which says
 * yes sooner. */
static bool drop_weak(struct search *s, bool by_its_own)
{
	bool dropped = false;

	/* Each change that goes joins two segments, which changes the noise and the tests of its
	 * neighbours: all are judged anew. */
	for (;;) {
		struct level_rule rule = rule_of(s);
		double weakest = stands_below_p;
		size_t at = 0;

		for (size_t k = 1; k < s->best.n; k++) {
			const size_t *bounds = s->best.starts + k - 1;
			double p = level_compare(s->flat, bounds, &rule).p;

			if (is_newest(s, bounds) && by_its_own)
				p = fmin(p, compare_newest(s, bounds, rule).p);
			if (is_newest(s, bounds) && may_be_outliers(s, bounds))
				p = 1;

			if (p > weakest) {
				weakest = p;
				at = k;
			}
		}
		if (at == 0)
			return dropped;
		memmove(s->best.starts + at, s->best.starts + at + 1,
			(s->best.n - at) * sizeof *s->best.starts);
		s->best.n--;
		dropped = true;
	}
}

/* Standard errors of a change among the newest points, with the noise beside it: inside a segment
 * the change would add to the noise and hide itself. */
static double newest_deviate(struct search *s, size_t at)
{
	size_t *last = s->best.starts + s->best.n++;

	last[0] = at;
	last[1] = s->n;
	const double deviate = compare_newest(s, last - 1, rule_of(s)).deviate;

	s->best.n--;
	last[0] = s->n;
	return fabs(deviate);
}

static void add_newest(struct search *s)
{
	size_t from = s->best.starts[s->best.n - 1], at = 0;
	double most = newest_beyond;

	/* The place where the difference is clearest, as long as a whole segment stays before it.
	 */
	for (size_t k = SEGMENT_LEAST_LAST; k <= NEWEST_MOST && from + SEGMENT_LEAST + k <= s->n;
	     k++) {
		const double deviate = newest_deviate(s, s->n - k);

		if (deviate > most) {
			most = deviate;
			at = s->n - k;
		}
	}
	if (at == 0)
		return;
	s->best.starts[s->best.n++] = at;
	s->best.starts[s->best.n] = s->n;
}

static void insert_first(struct segments *s, size_t at)
{
	memmove(s->starts + 2, s->starts + 1, s->n * sizeof *s->starts);
	s->starts[1] = at;
	s->n++;
}

static void remove_first(struct segments *s)
{
	s->n--;
	memmove(s->starts + 1, s->starts + 2, s->n * sizeof *s->starts);
}

/* Probability that the oldest points, before bounds[1], are outliers, which these values had in
 * place of their level: as frequent as behind them, where none counts as half a one. */
static double first_are_outliers(const struct search *s, const size_t bounds[3],
				 const struct level_change *c)
{
	const double half = (c->after.at - c->before.at) / 2;
	size_t far[2] = {0};

	for (size_t i = 0; i < bounds[2]; i++) {
		const double off = c->after.at - (s->all[i] - s->drift * (double)i);

		far[i >= bounds[1]] += half > 0 ? off > half : off < half;
	}
	const double behind = (double)(bounds[2] - bounds[1]);

	/* Half a one: without it, none behind would prove that outliers never happen. */
	return outliers_probability(bounds[1], far[0], ((double)far[1] + 0.5) / (behind + 1));
}

static bool are_far(const struct search *s, size_t n, double level, double reach)
{
	const bool below = s->all[0] < level;

	for (size_t i = 0; i < n; i++) {
		const double off = s->all[i] - s->drift * (double)i - level;

		if (below ? off >= -reach : off <= reach)
			return false;
	}
	return true;
}

/* Compares the `n` oldest points, as they were taken, with those of the same segment behind them.
 * The noise is that beside the change, as in newest_deviate(). */
static struct level_change compare_oldest(struct search *s, size_t n, bool *far)
{
	const size_t bounds[] = {0, n, s->best.starts[1]};
	double kept[SEGMENT_LEAST];

	/* Fewer than a segment, they may have been replaced as outliers. */
	for (size_t i = 0; i < n; i++) {
		kept[i] = s->flat[i];
		s->flat[i] = s->all[i] - s->drift * (double)i;
	}
	insert_first(&s->best, n);
	const struct level_rule rule = rule_of(s);
	const struct level_change c = level_compare(s->flat, bounds, &rule);

	*far = are_far(s, n, c.after.at, oldest_far * noise_spread(&s->noise));
	remove_first(&s->best);
	memcpy(s->flat, kept, n * sizeof *kept);
	return c;
}

/* True where the points from `n` up to `second`, where the search has placed a change, are nearer
 * to the level behind than to that of the `n` oldest: else that change is the one, and a point of
 * the old level hides among those behind. */
static bool are_behind(const struct search *s, size_t n, size_t second,
		       const struct level_change *c)
{
	for (size_t i = n; i < second; i++)
		if (s->all[i] - s->drift * (double)i < (c->before.at + c->after.at) / 2)
			return false;
	return true;
}

/* Number of oldest points that neither noise nor outliers explain; 0: there are none. Only lower
 * ones are a level: a bad night is slow, and some at the beginning are no improvement. `second`:
 * place of a change that the search has placed near; 0: none. */
static size_t find_oldest(struct search *s, size_t second)
{
	const size_t to = s->best.starts[1];
	double most = oldest_beyond;
	size_t at = 0;

	for (size_t k = 1; k < SEGMENT_LEAST && k + LEAST_BEHIND <= to; k++) {
		const size_t bounds[] = {0, k, to};
		bool far;
		const struct level_change c = compare_oldest(s, k, &far);
		/* One point alone is always doubted and never a level. */
		const double outliers = k > 1 ? first_are_outliers(s, bounds, &c) : oldest_doubted;

		if (!are_behind(s, k, second, &c))
			continue;
		if (far && outliers <= oldest_doubted) {
			s->first = k;
			s->first_at = c.before.at;
		}
		if (k > 1 && c.after.at > c.before.at && outliers <= outliers_explain &&
		    c.deviate > most) {
			most = c.deviate;
			at = k;
		}
	}
	return at;
}

/* Adds a change behind the oldest points, where they are fewer than a segment needs. What the
 * search has placed right behind them, while it took them for outliers, is no change then. */
static void add_oldest(struct search *s)
{
	const size_t second = s->best.starts[1];
	const bool joined = s->best.n > 1 && second < SEGMENT_LEAST - 1 + LEAST_BEHIND;

	if (joined)
		remove_first(&s->best);
	const size_t at = find_oldest(s, joined ? second : 0);

	if (at == 0 && joined) {
		insert_first(&s->best, second);
		s->first = 0; /* in doubt beside that change alone */
	}
	if (at == 0)
		return;
	/* These points are no outliers after all: the next steps take them as they are. */
	memcpy(s->values, s->all, at * sizeof *s->values);
	take_out(s, s->drift);
	insert_first(&s->best, at);
	s->first = 0;
}

/* ---- step 7 ---- */

/* Finds the slope between the changes that stand; a slope that the search did not need must be
 * clear. */
static void find_drift(struct search *s)
{
	double drift = s->drift + drift_find(s->flat, &s->best, s->slopes);

	/* The median of slopes is near it, whatever the outliers; one step of least squares on the
	 * residuals takes up what that left. */
	take_out(s, drift);
	noise_set(&s->noise, s->flat, &s->best);
	drift += drift_refine(&s->noise, &s->best);
	take_out(s, drift);
	noise_set(&s->noise, s->flat, &s->best);
	double error = drift_find_error(&s->noise, &s->best, noise_inflation(&s->noise));

	if (s->drift != 0 || (s->n >= DRIFT_POINTS && fabs(drift) > drift_stands * error))
		s->drift = drift;
	take_out(s, s->drift);
}

static enum asc_status describe(struct search *s, int exponent, struct changepoints *out,
				struct asc_err *e)
{
	struct level_rule rule = rule_of(s);
	const size_t from = s->best.starts[s->best.n - 1];
	const double level = level_find(s->flat + from, s->n - from, s->noise.scratch).at;

	/* Values were scaled, and the drift was taken out: both go back in. */
	out->drift = ldexp(s->drift, exponent);
	out->drift_is_clear = s->drift != 0 && fabs(s->drift) > drift_stands * rule.drift_error;
	out->spread = ldexp(noise_spread(&s->noise), exponent);
	out->level = ldexp(level + s->drift * (double)(s->n - 1), exponent);
	out->inflation = newest_inflation(rule.inflation, s->n);
	out->drift_error = ldexp(rule.drift_error, exponent);
	out->first = s->first;
	out->first_at = ldexp(s->first_at, exponent);
	if (s->best.n < 2)
		return ASC_OK;
	out->list = calloc(s->best.n - 1, sizeof *out->list);
	if (!out->list)
		return asc_err_nomem(e);
	for (size_t k = 1; k < s->best.n; k++) {
		const size_t *bounds = s->best.starts + k - 1;
		const struct level_change c = is_newest(s, bounds)
						      ? compare_newest(s, bounds, rule)
						      : level_compare(s->flat, bounds, &rule);
		double drifted = s->drift * (double)s->best.starts[k];

		out->list[out->n++] =
			(struct changepoint){.index = s->best.starts[k],
					     .before = ldexp(c.before.at + drifted, exponent),
					     .after = ldexp(c.after.at + drifted, exponent),
					     .low = ldexp(c.low, exponent),
					     .high = ldexp(c.high, exponent),
					     .p = c.p};
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
	enum asc_status status = search_init(&s, n, e);
	int exponent = status == ASC_OK ? take_values(&s, values) : 0;

	if (status == ASC_OK)
		s.noise.grain = noise_find_grain(&s.noise, s.values);
	if (status == ASC_OK && s.noise.grain > 0) { /* 0: all values are equal */
		find_best(&s);                       /* steps 1 to 3 */
		drop_weak(&s, false);                /* 4 */
		/* Both ends have fewer points than a segment needs, and tests of their own. The
		 * oldest come first: a change there is then no part of the noise that the newest
		 * are held against. */
		add_oldest(&s); /* 5 */
		add_newest(&s); /* 6 */
		find_drift(&s); /* 7 */
		/* The slope may explain a change that stood without it; each round drops one. */
		while (s.drift != 0 && drop_weak(&s, true))
			find_drift(&s);
		status = describe(&s, exponent, out, e);
	}
	changepoint_fit_free(s.fit);
	free(s.starts);
	free(s.reals);
	free(s.slopes);
	return status;
}

double changepoints_floor(const struct changepoints *c, size_t n, size_t ago, double most_p)
{
	const size_t points = n - (c->n ? c->list[c->n - 1].index : 0), levels = c->n + 2;
	const size_t after = ago + SEGMENT_LEAST <= points ? ago : points - SEGMENT_LEAST;

	if (n < CHANGEPOINT_POINTS || points < SEGMENT_LEAST + SEGMENT_LEAST_LAST)
		return 0;
	/* The spread is that of residuals: each level that was fitted, and the slope, took a degree
	 * of freedom. */
	const double spread = c->spread * sqrt((double)n / (double)(n - levels));
	const double deviate = fmax(newest_beyond, level_find_deviate(most_p, (double)points));
	const double floor = spread * level_find_floor((double)(points - after), (double)after,
						       deviate, c->inflation);

	/* A slope that is a little wrong moves the middles of both sides apart. */
	return floor + deviate * c->drift_error * (double)points / 2;
}

void changepoints_fini(struct changepoints *c)
{
	free(c->list);
	*c = (struct changepoints){0};
}
