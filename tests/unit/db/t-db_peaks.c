/* Peaks of a device: kept by type, replaced, forgotten, and what the best reaches of them. */
#include <string.h>

#include "db/db.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"
#include "tuner/results/roofline.h"

static struct asc_err e;

static double peak_of(struct db *d, const char *problem, const char *element)
{
	struct db_problem p = rows_problem;
	int64_t id = 0;
	double peak = 0;

	p.problem = p.problem_key = problem;
	p.element = element;
	tap_int(db_begin_run(d, &rows_device, &p, &rows_run, &id, &e), ASC_OK, "run of %s",
		problem);
	bests_add(d, id, "B=1", RESULT_OK, 100);
	struct bests s = bests_ask(d, NULL);
	for (size_t i = 0; i < s.n; i++)
		if (strcmp(s.problems[i], problem) == 0)
			peak = s.rows[i].peak_flops;
	return peak;
}

static bool finds(struct db *d, enum dtype type, double flops, double bandwidth)
{
	struct peaks p;

	if (db_find_peaks(d, "f1", type, &p, &e))
		return false;
	const struct roof r = peaks_roof(&p, type);
	return p.n == (size_t)(flops > 0) + (bandwidth > 0) && r.flops == flops &&
	       r.bandwidth == bandwidth;
}

static bool has_spread(const struct peak *p, double low, int64_t moments)
{
	return p->low == low && p->moments == moments;
}

/* 8 FLOP/byte: with 100 GFLOP/s and 5 GB/s 40 GFLOP/s are attainable; 4096 FLOPs in 204.8 ns are
 * 20 GFLOP/s. */
static void test_peaks(void)
{
	const struct peaks first = {
		.rows = {{PEAK_ARITHMETIC, "f32", 1, 1, 1}, {PEAK_MEMORY, "", 1, 1, 1}}, .n = 2};
	const struct peaks single = {
		.rows = {{PEAK_ARITHMETIC, "f32", 100e9, 90e9, 5}, {PEAK_MEMORY, "", 5e9, 4e9, 10}},
		.n = 2};
	const struct peaks half = {.rows = {{PEAK_ARITHMETIC, "bf16", 800e9, 700e9, 5},
					    {PEAK_MEMORY, "", 5e9, 4e9, 15}},
				   .n = 2};
	const struct peaks forgotten = {
		.rows = {{PEAK_ARITHMETIC, "bf16", 0, 0, 0}, {PEAK_MEMORY, "", 5e9, 4e9, 15}},
		.n = 2};
	struct peaks p;
	int64_t run;
	struct db *d = rows_open(rows_path("peaks.db"), &run);

	bests_add(d, run, "B=1", RESULT_OK, 204.8);
	struct bests s = bests_ask(d, NULL);
	tap_ok(s.rows[0].peak_flops == 0 && s.rows[0].attainable_part == 0 && !s.rows[0].bound,
	       "nothing without peaks");
	tap_ok(finds(d, DTYPE_F32, 0, 0), "none are kept");
	tap_int(db_put_peaks(d, "f2", &single, &e), ASC_NOTFOUND, "of an unknown device");
	tap_int(db_put_peaks(d, "f1", &first, &e), ASC_OK, "kept");
	tap_int(db_put_peaks(d, "f1", &single, &e), ASC_OK, "peaks are replaced");
	tap_int(db_put_peaks(d, "f1", &half, &e), ASC_OK, "each type has its own");
	tap_ok(finds(d, DTYPE_F32, 100e9, 5e9) && finds(d, DTYPE_BF16, 800e9, 5e9), "found");
	tap_ok(finds(d, DTYPE_F64, 0, 5e9), "of another type the memory's alone");
	tap_ok(db_find_peaks(d, "f1", DTYPE_F32, &p, &e) == ASC_OK &&
		       has_spread(peaks_find(&p, PEAK_ARITHMETIC, "f32"), 90e9, 5) &&
		       has_spread(peaks_find(&p, PEAK_MEMORY, ""), 4e9, 15),
	       "with their spread");
	s = bests_ask(d, NULL);
	tap_ok(s.rows[0].peak_flops == 100e9 && s.rows[0].peak_bandwidth == 5e9, "beside the best");
	tap_real(s.rows[0].attainable_flops, 40e9, 1, "attainable");
	tap_real(s.rows[0].attainable_part, 0.5, 1e-9, "the part that was reached");
	tap_str(s.rows[0].bound, "memory", "what limits it");
	tap_ok(peak_of(d, "half", "bf16") == 800e9, "bf16 has matrix units");
	tap_ok(peak_of(d, "double", "f64") == 0, "of f64 nothing is known");
	tap_ok(peak_of(d, "none", NULL) == 0, "no peak of an unknown type");
	tap_int(db_put_peaks(d, "f1", &forgotten, &e), ASC_OK, "a peak is forgotten");
	tap_ok(finds(d, DTYPE_BF16, 0, 5e9) && finds(d, DTYPE_F32, 100e9, 5e9), "of its type only");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_peaks();
	rows_leave();
	return tap_done();
}
