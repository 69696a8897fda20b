/* Constants of published records, and scores of fixed runs on them, by the functions of
 * autotuning_methodology 1.1.0 (with numpy 2.4, scipy 1.17 and scikit-learn 1.9), without the
 * bootstrap that it draws its confidence intervals from.
 * covers: score.c */
#include "tuner/tune/replay/score.h"

#include <math.h>
#include <stdlib.h>

#include "reports/exchange/formats/recorded.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

#define DATA TEST_DATA "/data/replay/"

static struct asc_err e;

static const struct {
	const char *file;
	size_t n, valid;
	double optimum_ms, median_ms, cutoff_ms;
	uint64_t start, end;
	double start_s, end_s, eval_s; /* to the last digit given */
	/* Of fixed_runs(): the score, the score at the first, the middle and the last point, random
	 * search there in ms, and the evaluations of the runs. */
	double score, at[3], baseline_ms[3];
	size_t evals[4];
} records[] = {
	{"convolution_milo__A100_T4.json.gz",
	 4362,
	 4201,
	 0.553600,
	 1.833952,
	 0.617618,
	 2,
	 1050,
	 4.808,
	 2524.12,
	 2.89492,
	 -0.07399973099023945,
	 {0.43833666989088604, -0.018358891652237263, 0.12990526539345135},
	 {1.4762880131602287, 0.6686400007456541, 0.6245440095663071},
	 {988, 983, 999, 1002}},
	{"convolution_milo__A4000_T4.json.gz",
	 4362,
	 4201,
	 1.021172,
	 3.305044,
	 1.135366,
	 2,
	 323,
	 4.841,
	 781.86,
	 2.95429,
	 -0.1794753593993048,
	 {0.44548949479961214, 0.06985796930882766, -0.587973304193113},
	 {2.5172410532832146, 1.2898029908537865, 1.1731159873306751},
	 {309, 299, 307, 307}},
	{"convolution_milo__MI250X_T4.json.gz",
	 4362,
	 4362,
	 0.658796,
	 19.844192,
	 1.618066,
	 2,
	 51,
	 3.265,
	 83.25,
	 2.19879,
	 0.10823521005056802,
	 {0.16683956477500841, 0.008847980293135589, -0.014903685271836033},
	 {19.82975959777832, 3.061828989556054, 1.7374212890863419},
	 {38, 50, 42, 37}},
	{"dedispersion_milo__A100_T4.json.gz",
	 11130,
	 11130,
	 68.116576,
	 72.498991,
	 68.335697,
	 2,
	 795,
	 6.358,
	 2527.47,
	 3.27833,
	 -0.04274282781100148,
	 {-1.7309442815528115, 0.09595279882029657, -0.12439052545363596},
	 {71.02511978149414, 68.40905570983887, 68.33344030380249},
	 {847, 846, 843, 851}},
	{"dedispersion_milo__W6600_T4.json.gz",
	 11130,
	 11130,
	 135.080819,
	 184.058833,
	 137.529719,
	 2,
	 2782,
	 12.994,
	 18074.69,
	 6.90410,
	 -0.019888294245152455,
	 {-0.09199422528441531, -0.19165741641830383, -0.6123228835696093},
	 {175.4419732093811, 138.84386491775513, 137.18667650222778},
	 {2867, 2876, 2878, 2880}},
};

/* ---- runs that visit every step-th configuration ---- */

static const struct {
	size_t first, step;
} fixed[] = {{17, 1013}, {1000, 2003}, {2500, 331}, {4000, 1709}};

enum { FIXED = sizeof fixed / sizeof *fixed };

static void fixed_run(const struct score_space *s, size_t number, struct score_run *out)
{
	const struct recorded *r = s->recorded;
	double spent_s = 0;
	uint32_t best = SCORE_NO_RANK;

	*out = (struct score_run){0, calloc(r->n, sizeof *out->end_s),
				  calloc(r->n, sizeof *out->best)};
	for (size_t k = 0; spent_s < s->budget_s; k++) {
		const size_t index = (fixed[number].first + k * fixed[number].step) % r->n;

		spent_s += r->spent_ns[index] * 1e-9;
		if (!isnan(r->time_ns[index]) && score_rank(s, r->time_ns[index]) < best)
			best = score_rank(s, r->time_ns[index]);
		out->end_s[out->n] = spent_s;
		out->best[out->n++] = best;
	}
}

static void runs_fini(struct score_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(runs[i].end_s);
		free(runs[i].best);
	}
}

static void check_constants(const struct score_space *s, size_t i)
{
	const char *name = records[i].file;

	tap_int(s->recorded->n, records[i].n, "%s: configurations", name);
	tap_int(s->recorded->n_valid, records[i].valid, "%s: those that passed", name);
	tap_real(s->optimum_ns * 1e-6, records[i].optimum_ms, 5e-7, "%s: optimum", name);
	tap_real(s->median_ns * 1e-6, records[i].median_ms, 5e-7, "%s: median", name);
	tap_real(s->cutoff_ns * 1e-6, records[i].cutoff_ms, 5e-7, "%s: cut-off", name);
	tap_int(s->start_evals, records[i].start, "%s: evaluations to the start", name);
	tap_int(s->end_evals, records[i].end, "%s: evaluations to the cut-off", name);
	tap_real(s->start_s, records[i].start_s, 5e-4, "%s: time to the start", name);
	tap_real(s->end_s, records[i].end_s, 5e-3, "%s: time to the cut-off", name);
	tap_real(s->eval_s, records[i].eval_s, 5e-6, "%s: time of an evaluation", name);
}

static void check_score(const struct score_space *s, size_t i)
{
	const char *name = records[i].file;
	static const size_t points[] = {0, 500, 999};
	struct score_run runs[FIXED];
	struct score score = {0};

	for (size_t k = 0; k < FIXED; k++) {
		fixed_run(s, k, &runs[k]);
		tap_int(runs[k].n, records[i].evals[k], "%s: evaluations of run %zu", name, k);
	}
	tap_int(score_runs(s, runs, FIXED, &score, &e), ASC_OK, "%s: scored", name);
	/* A mean rank of exactly a half may be rounded either way. */
	tap_real(score.mean, records[i].score, 1e-4, "%s: score", name);
	for (size_t k = 0; k < 3; k++) {
		tap_real(score.at[points[k]], records[i].at[k], 1e-9, "%s: score at %zu", name,
			 points[k]);
		tap_real(s->baseline_ns[points[k]] * 1e-6, records[i].baseline_ms[k], 1e-9,
			 "%s: random search at %zu", name, points[k]);
	}
	runs_fini(runs, FIXED);
}

static void test_records(void)
{
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		char *path = str_print(DATA "%s", records[i].file);
		struct score_space *s = malloc(sizeof *s);
		struct recorded *r = NULL;

		if (!tap_ok(!recorded_open(path, &r, &e) && !score_space_init(s, r, &e), "%s: %s",
			    path, e.text))
			goto next;
		check_constants(s, i);
		check_score(s, i);
	next:
		recorded_close(r);
		free(s);
		free(path);
	}
}

/* ---- ends of runs, on a record of ten configurations: the times are 10, 9, ... 1 ms ---- */

enum { TEN = 10 };

static double times_ns[TEN], spent_ns[TEN], sorted_ns[TEN];
static struct recorded ten = {.n = TEN,
			      .n_valid = TEN,
			      .time_ns = times_ns,
			      .spent_ns = spent_ns,
			      .sorted_ns = sorted_ns};

static void fill_ten(void)
{
	for (size_t i = 0; i < TEN; i++) {
		times_ns[i] = 1e6 * (double)(TEN - i);
		sorted_ns[i] = 1e6 * (double)(i + 1);
		spent_ns[i] = 1e9;
	}
}

/* A run of one evaluation, which takes a second. */
static double score_of_one(const struct score_space *s, uint32_t best, double *last)
{
	double end_s = 1;
	const struct score_run run = {1, &end_s, &best};
	struct score score = {0};

	if (!tap_int(score_runs(s, &run, 1, &score, &e), ASC_OK, "one evaluation"))
		return NAN;
	*last = score.curve_ns[SCORE_POINTS - 1];
	return score.mean;
}

static void test_ends(void)
{
	struct score_space s;
	double last = 0;

	fill_ten();
	if (!tap_ok(!score_space_init(&s, &ten, &e), "ten: %s", e.text))
		return;
	tap_real(s.cutoff_ns, 1.225e6, 1e-6, "1 ms and a twentieth of 4.5 ms");
	/* The first time at most that is the optimum: i = 9 becomes 8; 8 / (11 - 8), rounded up. */
	tap_int(s.end_evals, 3, "evaluations to the cut-off");
	tap_real(score_of_one(&s, 0, &last), 1, 1e-12, "a run that has the optimum first");
	tap_real(last, 1e6, 0, "and it stands to the end");
	tap_ok(score_of_one(&s, TEN - 1, &last) < 0, "a run that has the worst alone");
	tap_real(last, 1e7, 0, "and it stands to the end");
	tap_ok(score_of_one(&s, SCORE_NO_RANK, &last) < 0, "a run where nothing passed");
	tap_real(last, 1e7, 0, "has the worst");
}

/* Times of which the smoothed curve of random search reaches the optimum but for rounding: there is
 * nothing to win at those points. */
static void test_rounding(void)
{
	enum { N = 11 };
	double sorted[N] = {27, 28, 33, 46, 46, 46, 80, 247, 257, 260, 544};
	double spent[N] = {215290180, 514934155, 561737978, 362060275, 369558895, 471930448,
			   425782375, 2965592,   9804481,   8278089,   5702112};
	const struct recorded r = {
		.n = N, .n_valid = N, .time_ns = sorted, .spent_ns = spent, .sorted_ns = sorted};
	struct score_space s;
	double last = 0;

	if (!tap_ok(!score_space_init(&s, &r, &e), "eleven: %s", e.text))
		return;
	tap_ok(score_of_one(&s, 1, &last) > -1e5, "random search's optimum but for rounding");
}

/* Most evaluations took no time: that of the others is shared by all, and the axis has a length. */
static void test_free(void)
{
	struct score_space s;
	double last = 0;

	fill_ten();
	for (size_t i = 0; i < TEN; i++)
		spent_ns[i] = i < 3 ? 1e9 : i == 3 ? 1e3 : 0;
	if (!tap_ok(!score_space_init(&s, &ten, &e), "most are free: %s", e.text))
		return;
	tap_real(s.eval_s, 0.3, 1e-6, "mean of three that take a second");
	tap_real(s.end_s, 3 * s.eval_s, 1e-12, "three evaluations to the cut-off");
	tap_ok(s.budget_s > s.end_s, "a budget");
	tap_ok(score_of_one(&s, TEN - 1, &last) < 0, "a run that has the worst alone");
}

static void test_flat(void)
{
	struct score_space s;

	fill_ten();
	for (size_t i = 0; i < TEN; i++)
		sorted_ns[i] = 5;
	tap_int(score_space_init(&s, &ten, &e), ASC_INPUT, "one time for all");
	tap_has(e.text, "every configuration that passed has the same time", "is said");
}

int main(void)
{
	test_records();
	test_ends();
	test_rounding();
	test_free();
	test_flat();
	return tap_done();
}
