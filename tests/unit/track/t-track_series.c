/* Verdicts on series of numbers: how soon a change is called, and how often one that is none.
 * covers: track_series.c */
#include "reports/track/track_series.h"

#include <math.h>
#include <stdio.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/result/tracked_metric.h"

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

static void judge_alone(struct track_series *s, const struct track_rule *rule)
{
	track_series_judge(s, rule, &e);
	track_series_control(s, 1, rule, &e);
}

/* A step is red for seven nights from the one that first finds it, and known from the eighth. */
static void test_seven(void)
{
	double values[60];
	struct rng rng;

	rng_init(&rng, 16);
	for (size_t i = 0; i < 60; i++)
		values[i] = (i < 40 ? 100 : 120) + rng_normal(&rng);
	for (size_t night = 1; night <= 10; night++) {
		struct track_series s = {.name = "s", .values = values, .n = 40 + night};

		judge_alone(&s, &track_rule_default);
		tap_int(s.verdict,
			night < 2   ? TRACK_UNDECIDED
			: night < 9 ? TRACK_REGRESSION
				    : TRACK_SLOWER,
			"night %zu of a step", night);
		track_series_fini(&s);
	}
}

/* A step that noise hides for more than seven nights is red when it is first found, and whenever it
 * is found in seven nights from then on: never is "slower since earlier" the first that is said. */
static void test_late(void)
{
	enum { SERIES = 60, BEFORE = 20, NIGHTS = 40 };
	size_t late = 0, silent = 0, early = 0, told = 0;
	struct rng rng;

	rng_init(&rng, 17);
	for (size_t k = 0; k < SERIES; k++) {
		double values[BEFORE + NIGHTS];
		size_t first = 0;

		for (size_t i = 0; i < BEFORE + NIGHTS; i++)
			values[i] = (i < BEFORE ? 100 : 108) * (1 + 0.04 * rng_normal(&rng));
		for (size_t n = BEFORE + 1; n <= BEFORE + NIGHTS; n++) {
			struct track_series s = {.name = "s", .values = values, .n = n};

			judge_alone(&s, &track_rule_default);
			silent += first == 0 && s.verdict == TRACK_SLOWER;
			if (first == 0 && track_series_fails(&s))
				first = n;
			early += first && n < first + 7 && s.verdict == TRACK_SLOWER;
			track_series_fini(&s);
		}
		told += first > 0;
		late += first > BEFORE + 7;
	}
	tap_int((long long)silent, 0, "nothing is known that was not new");
	tap_ok(late >= 5, "%zu of %d are found after more than seven nights", late, SERIES);
	tap_ok(told >= SERIES - 6, "%zu are red", told);
	tap_int((long long)early, 0, "and nothing before seven nights");
}

/* Among many series a weak change waits, and is new on the night on which it is sure. */
static void test_late_among_many(void)
{
	enum { SERIES = 100, BEFORE = 60 };
	static struct track_series list[SERIES];
	static double values[SERIES][BEFORE + 20];
	size_t first = 0, red = 0;
	struct rng rng;

	rng_init(&rng, 19);
	for (size_t k = 0; k < SERIES; k++)
		for (size_t i = 0; i < BEFORE + 20; i++)
			values[k][i] = (k == 7 && i >= BEFORE ? 101.7 : 100) + rng_normal(&rng);
	for (size_t n = BEFORE + 2; n <= BEFORE + 20; n++) {
		for (size_t k = 0; k < SERIES; k++) {
			list[k] = (struct track_series){.name = "s", .values = values[k], .n = n};
			track_series_judge(&list[k], &track_rule_default, &e);
		}
		track_series_control(list, SERIES, &track_rule_default, &e);
		const bool now = list[7].verdict == TRACK_REGRESSION;

		first = !first && now ? n : first;
		red += now;
		tap_ok(first || list[7].verdict != TRACK_SLOWER,
		       "night %zu: not known before it is new", n - BEFORE);
		for (size_t k = 0; k < SERIES; k++)
			track_series_fini(&list[k]);
	}
	tap_ok(first > 0 && red >= 5, "new from night %zu on, red in %zu", first - BEFORE, red);
}

/* A newest point is doubtful from four spreads on; the doubt says by how much and which way. */
static void test_far(void)
{
	static const struct {
		double last;
		enum track_verdict verdict;
		const char *doubt;
	} cases[] = {
		{103, TRACK_UNCHANGED, NULL},
		{106, TRACK_UNDECIDED, "the newest point is 6"},
		{94, TRACK_UNDECIDED, " % faster than its level; one more will tell"},
		{170, TRACK_UNDECIDED, "the newest point is 1.7x slower than its level; one more"},
		{50, TRACK_UNDECIDED, "the newest point is 2.0x faster than its level"},
	};
	double values[60];
	struct rng rng;

	rng_init(&rng, 20);
	for (size_t i = 0; i < 60; i++)
		values[i] = 100 + rng_normal(&rng);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct track_series s = {.name = "s", .values = values, .n = 60};

		values[59] = cases[k].last;
		judge_alone(&s, &track_rule_default);
		tap_int(s.verdict, cases[k].verdict, "newest %g of 100", cases[k].last);
		tap_has(s.doubt ? s.doubt : "", cases[k].doubt ? cases[k].doubt : "", "its doubt");
		track_series_fini(&s);
	}
}

/* The floor is (t + 1.28) s sqrt(1/7 + 1/53): 3.95 as a t of 58 is 4.26, so 2.23 % of noise of 1 %.
 * Among more series it is higher, and a floor above what is wanted decides nothing. */
static void test_floor(void)
{
	static const struct track_rule wanted = {1, 7, 0.05, 2}, enough = {1, 7, 0.05, 50};
	struct track_series list[200];
	double values[60];
	struct rng rng;

	rng_init(&rng, 21);
	for (size_t i = 0; i < 60; i++)
		values[i] = 100 + rng_normal(&rng);
	for (size_t k = 0; k < 200; k++) {
		list[k] = (struct track_series){.name = "s", .values = values, .n = 60};
		track_series_judge(&list[k], &track_rule_default, &e);
	}
	track_series_control(list, 1, &track_rule_default, &e);
	const double spread = list[0].found.spread * sqrt(60.0 / 58) / list[0].found.level;

	tap_int(list[0].verdict, TRACK_UNCHANGED, "noise");
	tap_real(list[0].floor_pct / (100 * spread * sqrt(list[0].found.inflation)), 2.23, 0.03,
		 "the floor by hand, in spreads");
	const double alone = list[0].floor_pct;

	track_series_control(list, 200, &track_rule_default, &e);
	tap_ok(list[0].floor_pct > 1.05 * alone, "one of 200: %.2f %%, alone %.2f",
	       list[0].floor_pct, alone);
	track_series_control(list, 1, &enough, &e);
	tap_int(list[0].verdict, TRACK_UNCHANGED, "low enough");
	track_series_control(list, 1, &wanted, &e);
	tap_int(list[0].verdict, TRACK_UNDECIDED, "too high");
	tap_has(list[0].doubt, "would not be seen here; --threshold asks for one of 2 %",
		"which is said");
	list[0].verdict = TRACK_UNCHANGED;
	list[0].wanted_pct = 60;
	track_series_control(list, 1, &wanted, &e);
	tap_int(list[0].verdict, TRACK_UNCHANGED, "the workload's own threshold counts before it");
	list[0].wanted_pct = 0.5;
	track_series_control(list, 1, &track_rule_default, &e);
	tap_int(list[0].verdict, TRACK_UNDECIDED, "without another one as well");
	tap_has(list[0].doubt, "the workload asks for one of 0.5 %", "which is said");
	for (size_t k = 0; k < 200; k++)
		track_series_fini(&list[k]);
}

int main(void)
{
	test_seven();
	test_late();
	test_late_among_many();
	test_far();
	test_floor();
	test_direction();
	test_many();
	test_delay();
	test_bad_night();
	return tap_done();
}
