/* Change points in generated histories as they grow from night to night: levels that last 15, 25 or
 * 40 points, a drift beside a step, and how many points of a new level are needed until it is
 * reported. Seeds are fixed; the figures stand in the names of the tests, which
 * tests/bench/changepoints prints.
 * covers: changepoint_level.c changepoint.c */
#include "reports/track/changepoint/changepoint.h"

#include <math.h>
#include <stdbool.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { MOST = 400, SERIES = 40, MARGIN = 3 };

static double values[MOST];

static struct changepoints find(size_t n)
{
	struct changepoints c;
	struct asc_err e;

	if (changepoints_find(values, n, &c, &e))
		tap_ok(false, "%s", e.text);
	return c;
}

static bool has(const struct changepoints *c, size_t at)
{
	for (size_t k = 0; k < c->n; k++)
		if (c->list[k].index + MARGIN >= at && c->list[k].index <= at + MARGIN)
			return true;
	return false;
}

/* ---- levels ---- */

static const struct {
	const char *name;
	size_t points, levels; /* of a level; of them in a series */
	double least, most;    /* step in noises */
	double rho;            /* autocorrelation of the noise */
	size_t pct;            /* to be found within three points */
} levels[] = {
	{"levels of 15, steps of 3 noises", 15, 6, 3, 3, 0, 90},
	{"levels of 15, steps of 3 to 6 noises", 15, 6, 3, 6, 0, 90},
	{"levels of 25, steps of 3 noises", 25, 6, 3, 3, 0, 90},
	{"levels of 25, steps of 3 to 6 noises", 25, 6, 3, 6, 0, 90},
	{"levels of 40, steps of 3 noises", 40, 6, 3, 3, 0, 90},
	{"levels of 40, steps of 3 to 6 noises", 40, 6, 3, 6, 0, 90},
	{"two levels of 15, steps of 3 noises", 15, 2, 3, 3, 0, 90},
	{"two levels of 25, steps of 3 noises", 25, 2, 3, 3, 0, 90},
	{"two levels of 40, steps of 3 noises", 40, 2, 3, 3, 0, 90},
	{"three levels of 15, steps of 3 noises", 15, 3, 3, 3, 0, 90},
	{"three levels of 25, steps of 3 noises", 25, 3, 3, 3, 0, 90},
	{"three levels of 40, steps of 3 noises", 40, 3, 3, 3, 0, 90},
	{"levels of 15, steps of 4 noises, rho .3", 15, 6, 4, 4, 0.3, 85},
	{"levels of 25, steps of 4 noises, rho .3", 25, 6, 4, 4, 0.3, 85},
	{"levels of 40, steps of 4 noises, rho .3", 40, 6, 4, 4, 0.3, 85},
};

static size_t generate(size_t k, struct rng *r)
{
	double level = 100, noise = 0;
	size_t n = 0;

	for (size_t l = 0; l < levels[k].levels; l++) {
		for (size_t i = 0; i < levels[k].points; i++) {
			noise = levels[k].rho * noise +
				sqrt(1 - levels[k].rho * levels[k].rho) * rng_normal(r);
			values[n++] = level + noise;
		}
		double step = levels[k].least + (levels[k].most - levels[k].least) * rng_uniform(r);

		level += rng_uniform(r) < 0.5 ? step : -step;
	}
	return n;
}

static void test_levels(void)
{
	struct rng r;

	rng_init(&r, 41);
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
		size_t found = 0, wanted = 0, all = 0;

		for (size_t s = 0; s < SERIES; s++) {
			struct changepoints c = find(generate(k, &r));

			for (size_t l = 1; l < levels[k].levels; l++)
				found += has(&c, l * levels[k].points);
			wanted += levels[k].levels - 1;
			all += c.n;
			changepoints_fini(&c);
		}
		tap_ok(100 * found >= levels[k].pct * wanted, "%s: %zu of %zu (at least %zu %%)",
		       levels[k].name, found, wanted, levels[k].pct);
		tap_ok(25 * (all - found) <= wanted, "%s: %zu others", levels[k].name, all - found);
	}
}

/* ---- a drift beside a step ---- */

static const struct {
	const char *name;
	size_t n, at;               /* at: of the step; 0: none */
	double drift_pct, step_pct; /* drift: from the first to the last point; noise is 0.5 % */
	size_t least_drifts;        /* of 40 that are said to within two fifths */
} drifts[] = {
	{"3 % drift in 45 nights", 45, 0, 3, 0, 36},
	{"3 % drift in 90 nights", 90, 0, 3, 0, 36},
	{"3 % drift in 45 nights, step of 5 %", 45, 25, 3, 5, 36},
	{"3 % drift in 45 nights, step of -5 %", 45, 25, 3, -5, 36},
	{"3 % drift in 45 nights, step of 5 % at 35", 45, 35, 3, 5, 36},
	{"3 % drift in 45 nights, step of 10 %", 45, 20, 3, 10, 34},
	{"step of 5 %", 45, 25, 0, 5, 39},
	{"step of 2 %", 45, 25, 0, 2, 39},
	{"nothing", 45, 0, 0, 0, 39},
};

static void test_drift(size_t k, struct rng *r)
{
	const size_t n = drifts[k].n, at = drifts[k].at;
	size_t steps = 0, said = 0, holds = 0;

	for (size_t s = 0; s < SERIES; s++) {
		for (size_t i = 0; i < n; i++)
			values[i] = 100 + 0.5 * rng_normal(r) +
				    drifts[k].drift_pct * (double)i / (double)(n - 1) +
				    (at && i >= at ? drifts[k].step_pct : 0);
		struct changepoints c = find(n);
		double whole = c.drift_is_clear ? c.drift * (double)(n - 1) : 0;

		steps += at && has(&c, at);
		for (size_t i = 0; i < c.n; i++)
			holds += c.list[i].index == at && c.list[i].low <= drifts[k].step_pct &&
				 c.list[i].high >= drifts[k].step_pct;
		said += fabs(whole - drifts[k].drift_pct) <= 0.4 * drifts[k].drift_pct;
		changepoints_fini(&c);
	}
	tap_ok(said >= drifts[k].least_drifts, "%s: drift said rightly in %zu of %d (at least %zu)",
	       drifts[k].name, said, SERIES, drifts[k].least_drifts);
	if (at) {
		tap_int(steps, SERIES, "%s: the step is found", drifts[k].name);
		tap_ok(holds >= 33, "%s: its interval holds it in %zu of %d", drifts[k].name, holds,
		       SERIES);
	}
}

/* A slope that explains the newest points leaves no change there: each change of the list has odds.
 * Noise of 1 %, a drift of 0 to 0.2 % a night, one night in ten up to 30 % slower, a step of 5 to
 * 15 % in the last two to eight nights. */
static void test_explained(void)
{
	enum { HISTORIES = 1500 };
	size_t changes = 0, explained = 0;
	struct rng r;

	rng_init(&r, 44);
	for (size_t s = 0; s < HISTORIES; s++) {
		const size_t n = 20 + (size_t)(40 * rng_uniform(&r));
		const size_t at = n - 2 - (size_t)(7 * rng_uniform(&r));
		const double drift = 0.2 * rng_uniform(&r), step = 5 + 10 * rng_uniform(&r);

		for (size_t i = 0; i < n; i++)
			values[i] = 100 + drift * (double)i + rng_normal(&r) +
				    (rng_uniform(&r) < 0.1 ? 30 * rng_uniform(&r) : 0) +
				    (i >= at ? step : 0);
		struct changepoints c = find(n);

		changes += c.n;
		for (size_t k = 0; k < c.n; k++)
			explained += c.list[k].p > 0.9;
		changepoints_fini(&c);
	}
	tap_int(explained, 0, "%zu changes beside a slope and bad nights: none of chance", changes);
}

/* A step at the fifth, sixth or seventh night is placed there, and not on a night before: noise of
 * 0.5 %, 12 or 45 nights. What was placed right is counted against what was placed at all. */
static void test_early(void)
{
	static const size_t nights[] = {12, 45};
	static const double steps_pct[] = {3, 10, 25};
	enum { HISTORIES = 100, LEAST = 97 };
	struct rng r;

	rng_init(&r, 45);
	for (size_t k = 0; k < 18; k++) {
		const size_t at = 5 + k % 3, n = nights[k / 3 % 2];
		const double step = steps_pct[k / 6];
		size_t placed = 0, right = 0;

		for (size_t s = 0; s < HISTORIES; s++) {
			for (size_t i = 0; i < n; i++)
				values[i] = 100 + 0.5 * rng_normal(&r) + (i >= at ? step : 0);
			struct changepoints c = find(n);

			placed += c.n > 0;
			right += c.n > 0 && c.list[0].index == at;
			changepoints_fini(&c);
		}
		tap_ok(placed >= LEAST && right >= LEAST,
		       "step of %g %% behind %zu of %zu nights: placed in %zu of %d, there in %zu "
		       "(at least %d)",
		       step, at, n, placed, HISTORIES, right, LEAST);
	}
}

/* ---- how soon ---- */

static const struct {
	double step_pct, noise_pct;
	size_t median, never; /* limits: points; runs of 41 in which it is not reported */
} delays[] = {{5, 1, 2, 0}, {2, 1, 6, 1}, {10, 5, 6, 1}, {5, 5, 44, 17}};

/* Points of the new level until a change within three of the step is reported, 60 points before. */
static size_t find_delay(size_t k, struct rng *r)
{
	enum { BEFORE = 60, AFTER = 60 };

	for (size_t i = 0; i < BEFORE + AFTER; i++)
		values[i] = (i < BEFORE ? 100 : 100 + delays[k].step_pct) *
			    (1 + rng_normal(r) * delays[k].noise_pct / 100);
	for (size_t seen = 1; seen <= AFTER; seen++) {
		struct changepoints c = find(BEFORE + seen);
		bool there = has(&c, BEFORE);

		changepoints_fini(&c);
		if (there)
			return seen;
	}
	return MOST;
}

static void test_delays(void)
{
	enum { RUNS = 41 };
	struct rng r;

	rng_init(&r, 43);
	for (size_t k = 0; k < sizeof delays / sizeof *delays; k++) {
		size_t count[MOST + 1] = {0}, median = 0, most = 0, sum = 0;

		for (size_t i = 0; i < RUNS; i++)
			count[find_delay(k, &r)]++;
		while ((sum += count[median]) <= RUNS / 2)
			median++;
		for (size_t d = 0; d < MOST; d++)
			most = count[d] ? d : most;
		tap_ok(median <= delays[k].median && count[MOST] <= delays[k].never,
		       "delay of a %g %% step in %g %% noise: median %zu, most %zu, never %zu of "
		       "%d "
		       "(at most %zu, never %zu)",
		       delays[k].step_pct, delays[k].noise_pct, median, most, count[MOST], RUNS,
		       delays[k].median, delays[k].never);
	}
}

int main(void)
{
	struct rng r;

	test_levels();
	rng_init(&r, 42);
	for (size_t k = 0; k < sizeof drifts / sizeof *drifts; k++)
		test_drift(k, &r);
	test_explained();
	test_early();
	test_delays();
	return tap_done();
}
