/* Annotated series score by the F1 of van den Burg and Williams, "An Evaluation of Change Point
 * Detection Algorithms", 2020, margin 5, as their TCPDBench computes it; the bounds are what the
 * best detectors of asv and Otava reach on these series. Everything else is made here: noise
 * without a change, and steps whose place is known. The figures come as notes.
 * covers: changepoint.c changepoint_fit.c series_csv.c */
#include "reports/track/changepoint/changepoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/series_csv.h"
#include "tests/tap.h"
#include "tuner/base/json/json.h"
#include "tuner/base/stats/rng.h"

enum { MARGIN = 5, MOST = 1000, LONG = 10000 };

/* ---- the score ---- */

struct set {
	size_t list[MOST], n;
};

static void add(struct set *s, size_t i)
{
	size_t at = s->n;

	for (size_t k = 0; k < s->n; k++)
		if (s->list[k] == i)
			return;
	for (; at > 0 && s->list[at - 1] > i; at--)
		s->list[at] = s->list[at - 1];
	s->list[at] = i;
	s->n++;
}

/* How many of `truth` have a prediction of their own within the margin, nearest first. */
static size_t hits(const struct set *truth, const struct set *predicted)
{
	bool used[MOST] = {false};
	size_t n = 0;

	for (size_t i = 0; i < truth->n; i++) {
		size_t best = predicted->n;
		double least = MARGIN + 0.5;

		for (size_t k = 0; k < predicted->n; k++) {
			double off = fabs((double)predicted->list[k] - (double)truth->list[i]);

			if (!used[k] && off < least) {
				least = off;
				best = k;
			}
		}
		if (best < predicted->n) {
			used[best] = true;
			n++;
		}
	}
	return n;
}

static double score(const struct set *annotators, size_t n, const struct set *predicted)
{
	struct set all = {{0}, 1}, x = {{0}, 1};
	double recall = 0;

	for (size_t k = 0; k < predicted->n; k++)
		add(&x, predicted->list[k]);
	for (size_t a = 0; a < n; a++) {
		struct set own = {{0}, 1};

		for (size_t k = 0; k < annotators[a].n; k++) {
			add(&own, annotators[a].list[k]);
			add(&all, annotators[a].list[k]);
		}
		recall += (double)hits(&own, &x) / (double)own.n / (double)n;
	}
	double precision = (double)hits(&all, &x) / (double)x.n;

	return 2 * precision * recall / (precision + recall);
}

/* Golden numbers: TCPDBench's own documentation of its measure. */
static void test_score(void)
{
	const struct set one[] = {{{10, 20}, 2}, {{11, 20}, 2}, {{10}, 1}, {{0, 5}, 2}};
	const struct set two[] = {{{0}, 0}, {{10}, 1}, {{50}, 1}};
	const struct set both = {{10, 20}, 2}, ten = {{10}, 1}, none = {{0}, 0};

	tap_real(score(one, 4, &both), 1, 1e-12, "score: all found");
	tap_real(score(two, 3, &ten), 10.0 / 11, 1e-12, "score: one found");
	tap_real(score(two, 3, &none), 0.8, 1e-12, "score: saying nothing");
}

/* ---- annotated series ---- */

struct group {
	const char *name;
	double least, sum;
	size_t n, wanted;
};

static struct group groups[] = {{"tcpd", 0.751, 0, 0, 13},
				{"steplike", 0.949, 0, 0, 4},
				{"generated", 1, 0, 0, 10},
				{"tools", 1, 0, 0, 2},
				{"all", 0.8704, 0, 0, 25}};

static size_t find(const double *values, size_t n, struct set *out)
{
	struct changepoints c;
	struct asc_err e;

	out->n = 0;
	if (changepoints_find(values, n, &c, &e)) {
		tap_ok(false, "%s", e.text);
		return 0;
	}
	for (size_t k = 0; k < c.n; k++)
		add(out, c.list[k].index);
	changepoints_fini(&c);
	return out->n;
}

static size_t read_annotators(const struct json_node *n, struct set *out)
{
	size_t k = 0;
	struct asc_err e;

	for (const struct json_node *a = json_first(n); a; a = json_next(a), k++)
		for (const struct json_node *i = json_first(a); i; i = json_next(i)) {
			int64_t index = 0;

			(void)json_get_int(i, &index, &e);
			add(&out[k], (size_t)index);
		}
	return k;
}

static void count(const char *group, double f1)
{
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
		if (strcmp(groups[g].name, group) == 0) {
			groups[g].sum += f1;
			groups[g].n++;
		}
}

static void test_one(const struct json_node *series)
{
	static struct set annotators[8], found;
	const char *file = "", *group = "";
	struct value steplike = {0};
	char path[512];
	double *values;
	struct asc_err e;
	size_t n, empty;

	(void)json_get_string(json_find(series, "file"), &file, &e);
	(void)json_get_string(json_find(series, "group"), &group, &e);
	(void)json_get_value(json_find(series, "steplike"), &steplike, &e);
	snprintf(path, sizeof path, TEST_DATA "/data/changepoint/%s", file);
	memset(annotators, 0, sizeof annotators);
	size_t k = read_annotators(json_find(series, "annotations"), annotators);

	if (series_csv_read(path, NULL, &values, &n, &empty, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	find(values, n, &found);
	double f1 = score(annotators, k, &found);

	tap_note("%-26s %5zu points %3zu changes  F1 %.3f", file, n, found.n, f1);
	count(group, f1);
	count("all", f1);
	if (strcmp(group, "tcpd") == 0 && value_truth(steplike))
		count("steplike", f1);
	free(values);
}

static void test_annotated(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (json_open_file(TEST_DATA "/data/changepoint/annotations.json", &doc, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	for (const struct json_node *s = json_first(json_find(json_root(doc), "series")); s;
	     s = json_next(s))
		test_one(s);
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
		tap_int(groups[g].n, groups[g].wanted, "%s: series", groups[g].name);
		tap_ok(groups[g].sum / (double)groups[g].n >= groups[g].least,
		       "F1 of %s: %.4f (at least %.4f)", groups[g].name,
		       groups[g].sum / (double)groups[g].n, groups[g].least);
	}
	json_close(doc);
}

/* ---- noise without a change ---- */

static double values[LONG];

static double normal(struct rng *r, double rho)
{
	(void)rho;
	return rng_normal(r);
}

static double autoregressive(struct rng *r, double rho)
{
	static double state;

	return state = rho * state + sqrt(1 - rho * rho) * rng_normal(r);
}

static double student3(struct rng *r, double rho)
{
	double a = rng_normal(r), b = rng_normal(r), c = rng_normal(r);

	(void)rho;
	return rng_normal(r) / sqrt((a * a + b * b + c * c) / 3);
}

static double log_normal(struct rng *r, double rho)
{
	(void)rho;
	return exp(0.3 * rng_normal(r)) * 30;
}

static double two_modes(struct rng *r, double rho)
{
	return rng_normal(r) + (rng_uniform(r) < rho ? 5 : 0);
}

static double coarse(struct rng *r, double rho)
{
	return round(rng_normal(r) * rho);
}

/* A spike of 20 to 50 now and then. */
static double spiky(struct rng *r, double rho)
{
	return rng_normal(r) + (rng_uniform(r) < rho ? 20 + 30 * rng_uniform(r) : 0);
}

static double drifting(struct rng *r, double rho)
{
	static double at;

	return rng_normal(r) + (at += rho);
}

static double weekly(struct rng *r, double rho)
{
	static size_t day;

	return rng_normal(r) + (day++ % 7 > 4 ? rho : 0);
}

static const struct {
	const char *name;
	double (*draw)(struct rng *r, double rho);
	double rho;
	size_t n, series, most; /* series with a change, of so many */
} quiet[] = {
	{"normal, 365 points", normal, 0, 365, 200, 0},
	{"normal, 100 points", normal, 0, 100, 200, 2},
	{"normal, 30 points", normal, 0, 30, 200, 2},
	{"autocorrelated 0.5", autoregressive, 0.5, 365, 100, 0},
	{"autocorrelated 0.8", autoregressive, 0.8, 365, 100, 4},
	{"Student t, 3 degrees", student3, 0, 365, 100, 4},
	{"log-normal 0.3", log_normal, 0, 365, 100, 4},
	{"two modes, 1 to 1", two_modes, 0.5, 365, 100, 4},
	{"two modes, 1 to 2", two_modes, 0.3, 365, 100, 4},
	{"coarse clock", coarse, 0.4, 365, 100, 4},
	{"spikes, 3 %", spiky, 0.03, 365, 100, 4},
	{"weekly, 5 spreads", weekly, 5, 365, 100, 4},
	{"drift over 30 spreads", drifting, 30.0 / 365, 365, 50, 10},
};

static void test_quiet(void)
{
	struct set found;
	struct rng r;

	rng_init(&r, 1);
	for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++) {
		size_t alarms = 0;

		for (size_t s = 0; s < quiet[k].series; s++) {
			for (size_t i = 0; i < quiet[k].n; i++)
				values[i] = 100 + quiet[k].draw(&r, quiet[k].rho);
			alarms += find(values, quiet[k].n, &found) > 0;
		}
		tap_ok(alarms <= quiet[k].most, "false alarms: %s: %zu of %zu (at most %zu)",
		       quiet[k].name, alarms, quiet[k].series, quiet[k].most);
	}
}

/* ---- steps ---- */

/* Points of the new level until it is reported within 3 of its place; `most` + 1: not. */
static size_t delay(struct rng *r, size_t before, double step_pct, double noise_pct, size_t most)
{
	struct set found;

	for (size_t i = 0; i < before + most; i++)
		values[i] =
			(i < before ? 100 : 100 + step_pct) * (1 + rng_normal(r) * noise_pct / 100);
	for (size_t seen = 1; seen <= most; seen++) {
		find(values, before + seen, &found);
		for (size_t k = 0; k < found.n; k++)
			if (found.list[k] + 3 >= before && found.list[k] <= before + 3)
				return seen;
	}
	return most + 1;
}

static void test_delay(size_t before, double step_pct, double noise_pct, size_t median, size_t most)
{
	size_t late = 0, never = 0;
	struct rng r;

	rng_init(&r, 2);
	for (size_t k = 0; k < 41; k++) {
		size_t d = delay(&r, before, step_pct, noise_pct, most);

		late += d > median;
		never += d > most;
	}
	tap_ok(late <= 20, "%g %% step, %g %% noise, after %zu points: %zu later than %zu",
	       step_pct, noise_pct, before, late, median);
	if (step_pct >= 4 * noise_pct)
		tap_int(never, 0, "all seen after %zu", most);
}

static void noisy(struct rng *r, size_t n, double level)
{
	for (size_t i = 0; i < n; i++)
		values[i] = level + rng_normal(r);
}

static void test_outliers(void)
{
	static const size_t places[] = {0, 1, 50, 98, 99};
	struct set found;
	struct rng r;

	rng_init(&r, 3);
	for (size_t k = 0; k < sizeof places / sizeof *places; k++)
		for (double height = 10; height < 1e6; height *= 10) {
			noisy(&r, 100, 100);
			values[places[k]] += height;
			tap_int(find(values, 100, &found), 0, "one point %g higher at %zu", height,
				places[k]);
		}
}

static void test_shapes(void)
{
	struct changepoints c;
	struct set found;
	struct asc_err e;
	struct rng r;

	rng_init(&r, 4);
	noisy(&r, LONG, 100);
	for (size_t i = 4000; i < LONG; i++)
		values[i] += i < 7000 ? 3 : 1;
	tap_int(find(values, LONG, &found), 2, "10,000 points: two changes");
	tap_ok(found.list[0] > 3994 && found.list[0] < 4006 && found.list[1] > 6994 &&
		       found.list[1] < 7006,
	       "at %zu and %zu", found.list[0], found.list[1]);
	noisy(&r, 200, 100);
	for (size_t i = 0; i < 200; i++)
		values[i] += 0.1 * (double)i + (i >= 120 ? 8 : 0);
	tap_int(changepoints_find(values, 200, &c, &e), ASC_OK, "a step on a drift");
	tap_int(c.n, 1, "is one change");
	tap_ok(c.n == 1 && c.list[0].index > 117 && c.list[0].index < 123, "in its place");
	tap_ok(c.n == 1 && c.list[0].low < 8 && c.list[0].high > 8, "its interval holds the step");
	tap_real(c.drift, 0.1, 0.02, "the drift");
	changepoints_fini(&c);
	noisy(&r, 300, 0);
	for (size_t i = 0; i < 300; i++)
		values[i] = 100 + values[i] * (i < 150 ? 1 : 6);
	tap_int(find(values, 300, &found), 0, "a change of spread alone");
}

static void test_corners(void)
{
	struct set found;

	for (size_t n = 0; n <= 20; n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = 7;
		if (find(values, n, &found))
			break;
		for (size_t i = 0; i < n; i++)
			values[i] = i < n / 2 ? 1 : 2;
		find(values, n, &found);
		tap_int(found.n, n >= 8, "%zu points, half of them twice as high", n);
	}
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? -1e100 : 1e100;
	tap_int(find(values, 40, &found), 1, "huge numbers");
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? -1e308 : 1e308;
	tap_int(find(values, 40, &found), 1, "numbers whose sums overflow");
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? 0 : 5e-324;
	tap_ok(find(values, 40, &found) <= 1, "tiny numbers");
	for (size_t i = 0; i < 40; i++)
		values[i] = (i < 20 ? 1e302 : 1.1e302) * (1 + 0.001 * (double)(i % 3));
	tap_int(find(values, 40, &found), 1, "a step of 10 %% at 1e302");
	tap_int(found.list[0], 20, "in its place");
}

int main(void)
{
	test_score();
	test_annotated();
	test_quiet();
	test_delay(60, 5, 1, 2, 5);
	test_delay(364, 5, 1, 2, 5);
	test_delay(60, 2, 1, 6, 12);
	test_delay(60, 10, 5, 6, 12);
	test_outliers();
	test_shapes();
	test_corners();
	return tap_done();
}
