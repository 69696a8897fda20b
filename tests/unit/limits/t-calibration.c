/* The search for bounds of memory: needs that are known exactly are found; recorded verdicts of the
 * real planner on eleven kernels are judged with few questions and none lost.
 * covers: calibration.c */
#include "tuner/workload/limits/calibration.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/limits/verdict_rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

static const char *const names[] = {"M", "N", "K"};

/* ---- needs that are known ---- */

static double sum_of_tiles(const int64_t *s)
{
	return (double)(4 * s[0] * s[1] + 8 * s[0] * s[2]);
}

static double vector_and_tile(const int64_t *s)
{
	return (double)(18 * s[0] * s[1] + 4 * s[1]);
}

static double nothing(const int64_t *s)
{
	return 0 * (double)s[0];
}

static double everything(const int64_t *s)
{
	return 1e9 + (double)s[0];
}

/* The real planner's plans are not monotone: some small ones need more. */
static double bumpy(const int64_t *s)
{
	return 4.0 * (double)(s[0] * s[1]) + (s[0] == s[1] ? 100000 : 0);
}

struct trial {
	size_t n_sizes;
	double (*need)(const int64_t *sizes);
	bool answers_between; /* the kernel takes all sizes */
	size_t questions;
};

static int64_t grid[125][TILE_MAX_SIZES];

static struct calibration_space grid_space(size_t n_sizes)
{
	struct calibration_space s = {.n_sizes = n_sizes,
				      .rows = grid,
				      .n_rows = n_sizes == 3 ? 125 : 25,
				      .capacities = {196608},
				      .fixed = 1,
				      .checks = CALIBRATION_CHECKS,
				      .between = 7};

	memset(grid, 0, sizeof grid);
	for (size_t i = 0; i < s.n_rows; i++) {
		grid[i][0] = 16 << i % 5;
		grid[i][1] = (n_sizes == 3 ? 16 : 256) << i / 5 % 5;
		grid[i][2] = n_sizes == 3 ? 16 << i / 25 : 0;
	}
	return s;
}

static size_t count_wrong(const struct calibration_space *s, const struct calibration_report *r,
			  double (*need)(const int64_t *), bool fits)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_rows; i++)
		if ((need(s->rows[i]) <= s->capacities[0]) == fits)
			n += calibration_report_leaves_out(r, s, s->rows[i]) == fits;
	return n;
}

static struct calibration_report run(const struct trial *t, const struct calibration_space *s)
{
	struct calibration_report r = {0};
	struct calibration *c = NULL;
	int64_t sizes[TILE_MAX_SIZES];

	if (!tap_int(calibration_new(s, t->questions, &c, &e), ASC_OK, "a calibration"))
		return r;
	while (calibration_ask(c, sizes)) {
		bool is_row = false;
		for (size_t i = 0; i < s->n_rows; i++)
			is_row = is_row || memcmp(s->rows[i], sizes, sizeof sizes) == 0;
		calibration_tell(c,
				 !is_row && !t->answers_between       ? CALIBRATION_UNKNOWN
				 : t->need(sizes) <= s->capacities[0] ? CALIBRATION_FITS
								      : CALIBRATION_REFUSED,
				 0);
	}
	calibration_report(c, &r);
	calibration_free(c);
	return r;
}

static void test_exact(void)
{
	static const struct trial trials[] = {
		{3, sum_of_tiles, true, 30},    {3, sum_of_tiles, false, 30},
		{2, vector_and_tile, true, 30}, {2, vector_and_tile, false, 30},
		{2, nothing, true, 30},         {3, everything, false, 30},
	};

	for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
		const struct calibration_space s = grid_space(trials[i].n_sizes);
		const struct calibration_report r = run(&trials[i], &s);
		struct buf text = {0};

		tile_bound_print(&r.bounds[0], names, 3, "9e9", &text);
		tap_ok(r.asked <= 30, "need %zu: %zu questions", i, r.asked);
		tap_int(count_wrong(&s, &r, trials[i].need, true), 0, "nothing is lost: %s",
			buf_str(&text));
		tap_int(count_wrong(&s, &r, trials[i].need, false), 0, "all is foreseen");
		tap_int(r.lost + r.checked_lost, 0, "and the report says so");
		buf_fini(&text);
	}
}

/* With sizes between those of the rows the bound is sharp: within some percent of the need. */
static void test_sharp(void)
{
	const struct trial t = {2, vector_and_tile, true, 30};
	const struct calibration_space s = grid_space(2);
	const struct calibration_report r = run(&t, &s);
	const int64_t at[TILE_MAX_SIZES] = {16, 682};

	tap_real(tile_bound_bytes(&r.bounds[0], at) / vector_and_tile(at), 0.97, 0.031,
		 "near the limit the bound is the need, or a little less");
}

static void test_bumps(void)
{
	const struct trial t = {2, bumpy, false, 30};
	struct calibration_space s = grid_space(2);

	for (size_t i = 0; i < s.n_rows; i++)
		grid[i][1] = 64 << i / 5 % 5;
	const struct calibration_report r = run(&t, &s);
	tap_int(count_wrong(&s, &r, bumpy, true), 0, "bumps lose nothing");
	tap_ok(count_wrong(&s, &r, bumpy, false) <= 2, "and are what is not foreseen");
}

static void test_no_answers(void)
{
	const struct calibration_space s = grid_space(2);
	struct calibration *c = NULL;
	struct calibration_report r;
	int64_t sizes[TILE_MAX_SIZES];

	tap_int(calibration_new(&s, 10, &c, &e), ASC_OK, "ten questions");
	while (calibration_ask(c, sizes))
		calibration_tell(c, CALIBRATION_UNKNOWN, 0);
	calibration_report(c, &r);
	tap_int(r.asked, 3, "a compiler without an answer is asked thrice");
	tap_int(r.unknown, 3, "which is reported");
	tap_int(r.bounds[0].n, 0, "and gives no bound");
	calibration_free(c);
	struct calibration_space none = s;
	none.n_rows = 0;
	tap_int(calibration_new(&none, 10, &c, &e), ASC_OK, "no rows");
	tap_ok(!calibration_ask(c, sizes), "have no question");
	calibration_free(c);
}

/* ---- recorded verdicts ---- */

static void test_recorded(void)
{
	for (const struct recorded_kernel *k = recorded_kernels; k->file; k++)
		for (int i = 0; i < 2; i++) {
			const char *model = i ? "950" : "910B3";
			struct recorded_sums s;
			if (!tap_ok(recorded_replay(k, model, CALIBRATION_QUESTIONS, NULL, &s),
				    "%s on %s", k->file, model))
				continue;
			tap_ok(s.variants > 0 && s.most_asked <= CALIBRATION_QUESTIONS,
			       "at most %d questions", CALIBRATION_QUESTIONS);
			tap_int(s.lost, 0, "nothing is lost of %zu", s.fitting);
			tap_ok(10 * s.foreseen >= 9 * s.refused, "%zu of %zu are foreseen",
			       s.foreseen, s.refused);
		}
}

static void test_largest(void)
{
	size_t lines, found, most_asked;

	tap_ok(recorded_largest(12, &lines, &found, &most_asked), "the largest tiles");
	tap_int(lines, 92, "all of them");
	tap_int(found, lines, "are found with at most %zu questions", most_asked);
}

int main(void)
{
	test_exact();
	test_sharp();
	test_bumps();
	test_no_answers();
	test_recorded();
	test_largest();
	return tap_done();
}
