/* Bad nights: they are told from levels, and neither hide a change nor make one. Seeds are fixed;
 * the figures stand in the names of the tests, which tests/bench/changepoints prints.
 * covers: changepoint_outlier.c */
#include "reports/track/changepoint/changepoint_outlier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/track/changepoint/changepoint.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { MOST = 100, SERIES = 400, MARGIN = 3 };

static double values[MOST], scratch[MOST], tame[MOST];

/* ---- what an outlier is ---- */

static void generate(struct rng *r, size_t n, double level)
{
	for (size_t i = 0; i < n; i++)
		values[i] = level * (1 + 0.002 * rng_normal(r));
}

static void raise(size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		values[i] *= factor;
}

static size_t count_replaced(size_t n)
{
	size_t replaced = 0;

	outliers_replace(values, n, scratch, tame);
	for (size_t i = 0; i < n; i++)
		replaced += tame[i] < values[i] || tame[i] > values[i];
	return replaced;
}

static bool is_around(size_t n, double level)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(tame[i] / level - 1) < 0.02))
			return false;
	return true;
}

/* Stretches of up to four points at any place; at the end only one tells nothing of a new level. */
static void test_stretches(void)
{
	enum { POINTS = 30 };
	size_t wrong = 0;
	struct rng r;

	rng_init(&r, 51);
	for (double factor = 0.1; factor < 1000; factor *= 20)
		for (size_t length = 1; length <= 4; length++)
			for (size_t at = 0; at + length < POINTS + (length == 1); at++) {
				generate(&r, POINTS, 100);
				raise(at, at + length, factor);
				wrong +=
					count_replaced(POINTS) != length || !is_around(POINTS, 100);
			}
	tap_int(wrong, 0, "one to four bad nights at any place are put at the level");
}

static void test_levels(void)
{
	size_t wrong = 0;
	struct rng r;

	rng_init(&r, 52);
	for (size_t from = 5; from <= 20; from++) {
		generate(&r, 30, 100);
		raise(from, from + 5, 2);
		wrong += count_replaced(30) > 0;
	}
	tap_int(wrong, 0, "five points on end are a level");
	for (size_t last = 2; last < 12; last++) {
		generate(&r, 30, 100);
		raise(30 - last, 30, 2);
		wrong += count_replaced(30) > 0;
	}
	tap_int(wrong, 0, "so are two at the end");
	generate(&r, 90, 100);
	for (size_t i = 0; i < 90; i++)
		values[i] *= i % 7 > 4 ? 2 : 1;
	tap_int(count_replaced(90), 0, "two nights of every week are the noise of the series");
	for (size_t n = 0; n < CHANGEPOINT_POINTS; n++) {
		raise(0, n, n == 3 ? 1000 : 1);
		tap_int(count_replaced(n), 0, "%zu points are copied", n);
	}
}

/* ---- histories with bad nights ---- */

/* Finds the changes, of which the newest is to be at `at`; returns how many others there are. */
static size_t find(size_t n, size_t at, bool *there, double *after)
{
	struct changepoints c;
	struct asc_err e;

	if (changepoints_find(values, n, &c, &e))
		tap_ok(false, "%s", e.text);
	*there =
		c.n && c.list[c.n - 1].index + MARGIN >= at && c.list[c.n - 1].index <= at + MARGIN;
	*after = c.n ? c.list[c.n - 1].after : 0;
	size_t others = c.n - *there;

	changepoints_fini(&c);
	return others;
}

static const struct {
	const char *name;
	struct {
		size_t points;
		double level;
	} part[5];
} histories[] = {
	{"one night ten times as slow", {{12, 1.74}, {1, 17}, {3, 1.74}, {8, 2.38}}},
	{"the same, sixteen nights later", {{12, 1.74}, {1, 17}, {3, 1.74}, {24, 2.38}}},
	{"four nights twice as slow", {{12, 1.74}, {4, 3.5}, {4, 1.74}, {8, 2.38}}},
	{"four nights twice as slow before it", {{12, 1.74}, {4, 3.5}, {8, 2.38}}},
	{"two nights 60 times as slow", {{24, 1.74}, {2, 104}, {24, 1.74}, {8, 2.38}}},
	{"a bad night in the new level", {{24, 1.74}, {5, 2.38}, {1, 60}, {4, 2.38}}},
	{"a bad night tonight", {{24, 1.74}, {5, 2.38}, {1, 60}}},
};

/* Steps of 37 % in noise of 0.6 %. */
static void test_histories(void)
{
	struct rng r;

	rng_init(&r, 53);
	for (size_t k = 0; k < sizeof histories / sizeof *histories; k++) {
		size_t n = 0, at = 0;
		double after;
		bool there;

		for (size_t p = 0; p < 5; p++)
			for (size_t i = 0; i < histories[k].part[p].points; i++) {
				double level = histories[k].part[p].level;

				if (level == 2.38 && at == 0)
					at = n;
				values[n++] = level * (1 + 0.006 * rng_normal(&r));
			}
		at -= k == 3 ? 4 : 0; /* those that are bad already left the old level */
		tap_int(find(n, at, &there, &after), 0, "%s: no other change", histories[k].name);
		tap_ok(there, "%s: the step is found", histories[k].name);
		tap_real(after, 2.38, 0.02, "%s: its level", histories[k].name);
	}
}

static const struct {
	size_t n, bad; /* points; bad nights on end, anywhere but next to the step */
} steps[] = {{24, 1}, {24, 2}, {24, 4}, {40, 1}, {40, 4}, {90, 1}, {90, 4}};

/* A step of 5 % in the last eight nights, in noise of 0.5 %, with and without bad nights of 10 % to
 * 100 times the level. */
static void test_recall(size_t k)
{
	enum { RECALL = 390, OTHERS = 16 }; /* limits, of SERIES */
	const size_t n = steps[k].n, at = n - 8, places = at - steps[k].bad - 4;
	size_t found = 0, others = 0, alarms = 0;
	struct rng r;

	rng_init(&r, 54);
	for (size_t s = 0; s < SERIES; s++) {
		size_t bad = (size_t)(rng_uniform(&r) * (double)places);
		double factor = pow(10, 2 * rng_uniform(&r)) + 0.1, after;
		bool there;

		for (size_t i = 0; i < n; i++)
			values[i] = 100 + 0.5 * rng_normal(&r);
		raise(bad, bad + steps[k].bad, factor);
		alarms += find(n, 2 * n, &there, &after) > 0;
		raise(at, n, 1.05);
		others += find(n, at, &there, &after);
		found += there;
	}
	tap_ok(found >= RECALL, "%zu nights, %zu bad: step found in %zu of %d (at least %d)", n,
	       steps[k].bad, found, SERIES, RECALL);
	tap_ok(others <= OTHERS && alarms <= OTHERS,
	       "%zu nights, %zu bad: %zu others, %zu where nothing moved (at most %d)", n,
	       steps[k].bad, others, alarms, OTHERS);
}

/* Outliers 1 in 10: arithmetic of the binomial distribution. */
static void test_probability(void)
{
	tap_real(outliers_probability(2, 2, 0.1), 0.01, 1e-12, "two of two");
	tap_real(outliers_probability(3, 2, 0.1), 0.028, 1e-12, "two of three at least");
	tap_real(outliers_probability(10, 0, 0.1), 1, 1e-12, "any number");
}

int main(void)
{
	test_probability();
	test_stretches();
	test_levels();
	test_histories();
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
		test_recall(k);
	return tap_done();
}
