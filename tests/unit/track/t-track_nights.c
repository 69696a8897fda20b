/* Series replayed night after night: on which night a step is red, how often noise is, and what bad
 * nights do to either. Red is what fails a check. Seeds are fixed; the figures stand in the names
 * of the tests, which tests/bench/changepoints prints.
 * covers: track_series.c */
#include "reports/track/track_series.h"

#include <math.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { MOST = 160, MARGIN = 5 };

static double values[MOST];

/* Judges the first n nights as `asctune track --series` does. */
static struct track_series judge(size_t n)
{
	struct track_series s = {.name = "s", .values = values, .n = n};
	struct asc_err e;

	if (track_series_judge(&s, &track_rule_default, &e) ||
	    track_series_control(&s, 1, &track_rule_default, &e))
		tap_ok(false, "%s", e.text);
	return s;
}

static bool is_red(size_t n)
{
	struct track_series s = judge(n);
	const bool red = track_series_fails(&s);

	track_series_fini(&s);
	return red;
}

static bool has_change(const struct track_series *s, size_t at)
{
	for (size_t k = 0; k < s->found.n; k++)
		if (s->found.list[k].index + MARGIN >= at && s->found.list[k].index <= at + MARGIN)
			return true;
	return false;
}

static void generate(struct rng *r, size_t n, size_t at, double step_pct, double noise_pct)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (i < at ? 100 : 100 + step_pct) * (1 + noise_pct / 100 * rng_normal(r));
}

/* ---- how soon ---- */

static const struct {
	double step_pct, noise_pct;
	size_t before, nights;
	size_t soon_pct, ever_pct; /* least shares that are red within `nights`, and within 40 */
} steps[] = {
	{5, 2, 90, 6, 95, 99},  {8, 4, 90, 8, 90, 99}, {5, 2, 60, 6, 90, 99},
	{8, 4, 60, 8, 80, 99},  {5, 2, 40, 6, 85, 99}, {5, 2, 20, 6, 70, 97},
	{8, 4, 40, 8, 80, 97},  {8, 4, 20, 8, 55, 90}, {100, 1, 4, 4, 99, 99},
	{100, 1, 3, 6, 99, 99}, {20, 1, 4, 6, 95, 99}, {20, 1, 3, 8, 95, 99},
};

static void test_steps(size_t k)
{
	enum { SERIES = 500, LAST = 40 };
	size_t soon = 0, ever = 0;
	struct rng r;

	rng_init(&r, 61);
	for (size_t s = 0; s < SERIES; s++) {
		size_t night = 1;

		generate(&r, steps[k].before + LAST, steps[k].before, steps[k].step_pct,
			 steps[k].noise_pct);
		while (night <= LAST && !is_red(steps[k].before + night))
			night++;
		soon += night <= steps[k].nights;
		ever += night <= LAST;
	}
	tap_ok(100 * soon >= steps[k].soon_pct * SERIES,
	       "+%g %% in %g %% noise after %zu nights: red within %zu in %zu of %d (at least %zu "
	       "%%)",
	       steps[k].step_pct, steps[k].noise_pct, steps[k].before, steps[k].nights, soon,
	       SERIES, steps[k].soon_pct);
	tap_ok(100 * ever >= steps[k].ever_pct * SERIES,
	       "+%g %% in %g %% noise: red at all in %zu of %d (at least %zu %%)",
	       steps[k].step_pct, steps[k].noise_pct, ever, SERIES, steps[k].ever_pct);
}

static void test_noise(void)
{
	enum { SERIES = 1000, NIGHTS = 100, FEW = 20 };
	size_t red = 0;
	struct rng r;

	rng_init(&r, 62);
	for (size_t s = 0; s < SERIES; s++) {
		bool any = false;

		generate(&r, NIGHTS, 0, 0, 2);
		for (size_t n = 1; n <= NIGHTS && !any; n++)
			any = is_red(n);
		red += any;
	}
	tap_ok(red <= FEW, "noise alone: red on any of 100 nights in %zu of %d series (at most %d)",
	       red, SERIES, FEW);
}

/* A doubling after the first nights of all: slower where more than one night was before it, else
 * undecided, and never unchanged while it is new. */
static void test_first(void)
{
	static const double real[] = {260, 262, 258, 263, 520, 525, 515, 522, 518, 519};
	enum { SERIES = 200, NEW = 7, LAST = 24, N = sizeof real / sizeof *real };
	struct rng r;

	for (size_t i = 0; i < N; i++)
		values[i] = real[i];
	struct track_series s = judge(N);

	tap_int(s.verdict, TRACK_REGRESSION, "doubled after four nights: slower");
	tap_int(s.index, 4, "from the fifth");
	track_series_fini(&s);
	rng_init(&r, 66);
	for (size_t before = 1; before <= 4; before++) {
		size_t unchanged = 0, red = 0;

		for (size_t k = 0; k < SERIES; k++) {
			bool any = false;

			generate(&r, LAST, before, 100, 1);
			for (size_t n = CHANGEPOINT_POINTS; n <= LAST; n++) {
				s = judge(n);
				unchanged += n <= before + NEW && s.verdict == TRACK_UNCHANGED;
				any |= track_series_fails(&s);
				track_series_fini(&s);
			}
			red += any;
		}
		tap_ok(unchanged == 0 && (red == SERIES) == (before > 1),
		       "doubled after %zu of the first nights: unchanged in %zu of the next 7 (at "
		       "most 0), "
		       "red in %zu of %d series (in all, but after one night)",
		       before, unchanged, red, SERIES);
	}
}

/* Nights that resemble the one before: the bound on chance holds for independent ones. */
static double autocorrelated(struct rng *r, double *state)
{
	return *state = 0.5 * *state + 0.02 * rng_normal(r);
}

/* One night in ten is slower, by up to twice. */
static double frequently_bad(struct rng *r, double *state)
{
	(void)state;
	return fabs(0.02 * rng_normal(r)) + (rng_uniform(r) < 0.1 ? rng_uniform(r) : 0);
}

static void test_hard_noise(double (*draw)(struct rng *r, double *state), const char *name,
			    size_t most)
{
	enum { SERIES = 100, NIGHTS = 100 };
	size_t red = 0, last = 0;
	struct rng r;

	rng_init(&r, 65);
	for (size_t s = 0; s < SERIES; s++) {
		double state = 0;
		bool any = false;

		for (size_t i = 0; i < NIGHTS; i++)
			values[i] = 100 * (1 + draw(&r, &state));
		for (size_t n = 1; n <= NIGHTS && !any; n++)
			any = is_red(n);
		red += any;
		last += is_red(NIGHTS);
	}
	tap_ok(red <= most && last <= 5,
	       "%s: red on any of 100 nights in %zu of %d series (at most %zu), on the last in %zu "
	       "(at most 5)",
	       name, red, SERIES, most, last);
}

/* ---- the floor ---- */

/* A step of the size of the floor, seven nights ago, is red in nine of ten series; one of half of
 * it in few. */
static void test_floor(size_t n, double noise_pct)
{
	enum { SERIES = 400, NEW = 7 };
	size_t whole = 0, half = 0;
	struct rng r;

	rng_init(&r, 64);
	for (size_t s = 0; s < SERIES; s++) {
		generate(&r, n, 0, 0, noise_pct);
		struct track_series quiet = judge(n);
		const double step = quiet.floor_pct / 100;

		track_series_fini(&quiet);
		for (size_t i = n - NEW; i < n; i++)
			values[i] *= 1 + step / 2;
		half += is_red(n);
		for (size_t i = n - NEW; i < n; i++)
			values[i] *= (1 + step) / (1 + step / 2);
		whole += is_red(n);
	}
	tap_ok(100 * whole >= 85 * SERIES && 100 * half <= 40 * SERIES,
	       "%zu nights, %g %% noise: a step of the floor red in %zu of %d (at least 85 %%), of "
	       "half of it in %zu (at most 40 %%)",
	       n, noise_pct, whole, SERIES, half);
}

/* ---- bad nights ---- */

enum bad { STRETCH, SCATTERED, LAST_AND_SCATTERED, AT_THE_END };

static double bad_factor(struct rng *r)
{
	return pow(10, 2 * rng_uniform(r)) + 0.1;
}

/* Makes nights 10 % to 100 times slower, or faster where no new level is. */
static void spoil(struct rng *r, enum bad kind, size_t bad, size_t n, size_t at)
{
	const size_t first = (size_t)(rng_uniform(r) * (double)(n - bad + 1));
	const double same = bad_factor(r);

	for (size_t b = 0; b < bad; b++) {
		const bool last = kind == LAST_AND_SCATTERED && b == 0;
		const double factor = kind == STRETCH ? same : bad_factor(r);
		size_t i = (size_t)(rng_uniform(r) * (double)n);

		if (kind == STRETCH || kind == AT_THE_END)
			i = (kind == STRETCH ? first : n - bad) + b;
		if (last)
			i = n - 1;
		values[i] *= i < at && rng_uniform(r) < 0.2 ? 1 / factor : factor;
	}
}

/* True when any of the newest nights is red: bad nights just before a step are a step, too, which
 * may be red first and known seven nights later. */
static bool was_red(size_t n, size_t nights)
{
	while (nights > 0 && !is_red(n - nights + 1))
		nights--;
	return nights > 0;
}

/* Steps that are red without the bad nights, in the six newest nights. */
static void test_bad(size_t n, double step_pct, double noise_pct, enum bad kind)
{
	static const char *const names[] = {"on end", "scattered", "scattered, one of them tonight",
					    "the newest"};
	enum { SERIES = 200, NEW = 6 };
	size_t kept = 0, red = 0, all = 0;
	struct rng r;

	rng_init(&r, 63);
	for (size_t s = 0; s < 4 * SERIES; s++) {
		generate(&r, n, n - NEW, step_pct, noise_pct);
		if (!is_red(n))
			continue;
		spoil(&r, kind, 1 + s / SERIES, n, n - NEW);
		struct track_series with = judge(n);

		all++;
		kept += has_change(&with, n - NEW);
		red += track_series_fails(&with) || was_red(n, NEW);
		track_series_fini(&with);
	}
	tap_ok(100 * kept >= 99 * all && 100 * red >= 99 * all,
	       "%zu nights, 1 to 4 bad ones, %s: of %zu steps of %g %% in %g %% noise %zu found, "
	       "%zu red (at least 99 %%)",
	       n, names[kind], all, step_pct, noise_pct, kept, red);
}

/* A kernel that was doubled, and whose first night was worse still: without that night it is
 * slower by half. */
static void test_worse_first(void)
{
	static const double real[] = {156.979, 157.049, 147.32,  161.626, 154.821, 141.892,
				      143.964, 172.287, 173.219, 188.741, 292.296, 159.893,
				      150.169, 160.038, 153.359, 186.278, 167.369, 179.127,
				      181.667, 371.82,  248.15,  255.276};
	enum { N = sizeof real / sizeof *real };

	for (size_t i = 0; i < N; i++)
		values[i] = real[i];
	struct track_series s = judge(N);

	tap_int(s.verdict, TRACK_REGRESSION, "two nights slower, after one slower still: slower");
	tap_int(s.index, 19, "from the first of the three");
	track_series_fini(&s);
}

int main(void)
{
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
		test_steps(k);
	test_noise();
	test_first();
	test_hard_noise(autocorrelated, "noise with an autocorrelation of 0.5", 40);
	test_hard_noise(frequently_bad, "one bad night in ten", 45);
	for (enum bad kind = STRETCH; kind <= AT_THE_END; kind++) {
		test_bad(30, 5, 0.5, kind);
		test_bad(60, 8, 2, kind);
	}
	for (size_t n = 20; n <= 100; n += 40)
		test_floor(n, 2);
	test_worse_first();
	return tap_done();
}
