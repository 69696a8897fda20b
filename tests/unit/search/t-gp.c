/* Expectations of a Gaussian process, against arithmetic.
 * covers: gp.c */
#include "tuner/tune/search/gp.h"

#include <math.h>

#include "tests/tap.h"

enum { FEATURES = 2, N = 12 };

static struct asc_err e;

/* A slope along the first feature; the second counts for nothing. */
static void make_rows(float *rows, float *targets)
{
	for (int i = 0; i < N; i++) {
		rows[FEATURES * i] = (float)(i % 6);
		rows[FEATURES * i + 1] = (float)(i * 5 % 7);
		targets[i] = 3 * rows[FEATURES * i];
	}
}

static void check_one_row(struct gp *g, struct rng *rng)
{
	const float row[FEATURES] = {0}, far[FEATURES] = {1e6F, 0}, target = 4;
	const struct forest_rows one = {row, &target, 1};
	double mean = 0, deviation = 0;

	gp_fit(g, &one, rng);
	gp_expect(g, row, &mean, &deviation);
	tap_ok(fabs(mean - 4) < 1e-9, "one row: its target is expected");
	gp_expect(g, far, &mean, &deviation);
	tap_ok(fabs(mean - 4) < 1e-9 && isfinite(gp_improvement(g, far)),
	       "one row: far from it, too");
}

static void check_slope(struct gp *g, struct rng *rng)
{
	float rows[N * FEATURES], targets[N];
	const struct forest_rows all = {rows, targets, N};
	const float asked[FEATURES] = {2, 4}, away[FEATURES] = {12, 4}, low[FEATURES] = {-0.5F, 3},
		    high[FEATURES] = {5, 3};
	double mean = 0, deviation = 0, near = 0;

	make_rows(rows, targets);
	for (int i = 0; i < 20; i++)
		gp_fit(g, &all, rng);
	gp_expect(g, rows, &mean, &near);
	tap_ok(fabs(mean - (double)targets[0]) < 0.3, "a known row has its target");
	gp_expect(g, asked, &mean, &deviation);
	tap_ok(fabs(mean - 6) < 1, "an unknown row has that of the slope");
	gp_expect(g, away, &mean, &deviation);
	tap_ok(deviation > 2 * near, "a row far away is less sure than a known one");
	tap_ok(g->scale_logs[1] > g->scale_logs[0],
	       "the feature that counts for nothing has the larger scale");
	tap_ok(gp_improvement(g, low) > gp_improvement(g, high) && gp_improvement(g, high) >= 0,
	       "more is expected down the slope, and nowhere less than nothing");
}

/* Closed form: with mean m at the least target the improvement is deviation sqrt(3) / pi ln 2. */
static void check_improvement(struct gp *g, struct rng *rng)
{
	const float rows[2 * FEATURES] = {0, 0, 0, 0}, targets[] = {1, 1};
	const struct forest_rows same = {rows, targets, 2};
	double mean = 0, deviation = 0;

	gp_fit(g, &same, rng);
	gp_expect(g, rows, &mean, &deviation);
	tap_ok(fabs(gp_improvement(g, rows) / (deviation * 0.38215) - 1) < 1e-3,
	       "improvement of what is as good as the best");
}

/* Settings with which all rows are the same and there is no noise. */
static void check_same_rows(struct gp *g, struct rng *rng)
{
	float rows[N * FEATURES], targets[N];
	const struct forest_rows all = {rows, targets, N};
	double mean = NAN, deviation = NAN;

	make_rows(rows, targets);
	g->noise_log = -300;
	g->scale_logs[0] = g->scale_logs[1] = 100;
	gp_fit(g, &all, rng);
	gp_expect(g, rows, &mean, &deviation);
	tap_ok(isfinite(mean) && deviation > 0 && isfinite(deviation),
	       "rows that cannot be told apart have an expectation");
}

int main(void)
{
	const struct forest_features used = {FEATURES, {0, 1}};
	struct rng rng;
	struct gp g;

	rng_init(&rng, 1);
	tap_int(gp_init(&g, FEATURES, &used, &e), ASC_OK, "a process of two features");
	g.spans[0] = 5;
	g.spans[1] = 6;
	check_one_row(&g, &rng);
	check_slope(&g, &rng);
	check_improvement(&g, &rng);
	check_same_rows(&g, &rng);
	gp_fini(&g);
	return tap_done();
}
