/* Verdicts on series of numbers: how soon a change is called, and how often one that is none. */
#include "reports/track/track_series.h"

#include <stdio.h>

#include "tests/tap.h"
#include "tuner/base/rng.h"
#include "tuner/results/tracked_metric.h"

static struct asc_err e;

/* Hundreds of series of noise: none may be called, and one planted change must be. */
static void test_many(void)
{
	enum { SERIES = 300 };
	static struct track_series list[SERIES];
	static double values[SERIES][100];
	struct rng rng;

	rng_init(&rng, 10);
	for (size_t k = 0; k < SERIES; k++) {
		for (size_t i = 0; i < 100; i++)
			values[k][i] = (k == 7 && i >= 97 ? 105 : 100) + rng_normal(&rng);
		list[k] = (struct track_series){.name = "s", .values = values[k], .n = 100};
		track_series_judge(&list[k], &track_rule_default, &e);
	}
	track_series_control(list, SERIES, &track_rule_default, &e);
	tap_int(list[7].verdict, TRACK_REGRESSION, "the planted change is called");
	size_t called = 0;

	for (size_t k = 0; k < SERIES; k++)
		called += list[k].verdict == TRACK_REGRESSION;
	tap_ok(called <= 2, "hardly another");
	for (size_t k = 0; k < SERIES; k++)
		track_series_fini(&list[k]);
}

static size_t nights_until_called(struct rng *rng, size_t history)
{
	double values[400];

	for (size_t i = 0; i < history + 6; i++)
		values[i] = (i < history ? 100 : 105) * (1 + 0.01 * rng_normal(rng));
	for (size_t seen = 1; seen <= 6; seen++) {
		struct track_series s = {.name = "s", .values = values, .n = history + seen};

		track_series_judge(&s, &track_rule_default, &e);
		bool called = s.verdict == TRACK_REGRESSION;

		track_series_fini(&s);
		if (called)
			return seen;
	}
	return 7;
}

static void test_delay(void)
{
	size_t late = 0, very_late = 0;
	struct rng rng;

	rng_init(&rng, 11);
	for (size_t k = 0; k < 60; k++) {
		size_t n = nights_until_called(&rng, k % 2 ? 60 : 364);

		late += n > 2;
		very_late += n > 3;
	}
	tap_ok(late < 30, "5 %% in 1 %% noise: called after two nights in the median (%zu later)",
	       late);
	tap_int(very_late, 0, "after three at most");
}

/* Of a figure whose higher values are better a fall is the regression. */
static void test_direction(void)
{
	static const struct tracked_metric throughput = {.name = "throughput",
							 .higher_is_better = true};
	double values[40];
	struct rng rng;

	rng_init(&rng, 14);
	for (size_t i = 0; i < 40; i++)
		values[i] = (i < 36 ? 100 : 90) + rng_normal(&rng);
	for (int higher = 0; higher < 2; higher++) {
		struct track_series s = {.name = "s",
					 .values = values,
					 .n = 40,
					 .tracked = higher ? &throughput : NULL};

		track_series_judge(&s, &track_rule_default, &e);
		tap_int(s.verdict, higher ? TRACK_REGRESSION : TRACK_IMPROVEMENT, "%s is better",
			higher ? "higher" : "lower");
		track_series_fini(&s);
	}
}

/* A night ten times as slow, long ago, neither makes the newest point look far from the level nor
 * shrinks a drift. */
static void test_bad_night(void)
{
	struct track_series level = {.name = "s", .n = 40}, drift = {.name = "s", .n = 90};
	double steady[40], rising[90];
	struct rng rng;

	rng_init(&rng, 15);
	for (size_t i = 0; i < level.n; i++)
		steady[i] = i == 12 ? 1000 : 100 + 0.1 * rng_normal(&rng);
	for (size_t i = 0; i < drift.n; i++)
		rising[i] = i == 12 ? 10000 : 100 + 0.1 * (double)i + 0.1 * rng_normal(&rng);
	level.values = steady;
	drift.values = rising;
	track_series_judge(&level, &track_rule_default, &e);
	track_series_judge(&drift, &track_rule_default, &e);
	tap_int(level.verdict, TRACK_UNCHANGED, "a bad night long ago: unchanged");
	tap_int(drift.verdict, TRACK_DRIFTING, "and a drift is one");
	tap_real(drift.drift_pct, 8.5, 0.3, "of its true size");
	track_series_fini(&level);
	track_series_fini(&drift);
}

int main(void)
{
	test_direction();
	test_many();
	test_delay();
	test_bad_night();
	return tap_done();
}
