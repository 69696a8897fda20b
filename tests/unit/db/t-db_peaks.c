/* Peaks of a device: kept by type, replaced, forgotten, and what the best reaches of them.
 * covers: peak.c */
#include <string.h>

#include "db/db.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/file.h"
#include "tuner/result/peaks_file.h"
#include "tuner/result/roofline.h"

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
		.rows = {{PEAK_ARITHMETIC, "f32", 95e9, 95e9, 1}, {PEAK_MEMORY, "", 4e9, 4e9, 1}},
		.n = 2};
	const struct peaks single = {
		.rows = {{PEAK_ARITHMETIC, "f32", 100e9, 90e9, 5}, {PEAK_MEMORY, "", 5e9, 4e9, 10}},
		.n = 2};
	const struct peaks half = {.rows = {{PEAK_ARITHMETIC, "bf16", 800e9, 700e9, 5},
					    {PEAK_MEMORY, "", 5e9, 4e9, 15}},
				   .n = 2};
	const struct peaks busy = {.rows = {{PEAK_ARITHMETIC, "f32", 70e9, 60e9, 0},
					    {PEAK_MEMORY, "", 4.5e9, 4.5e9, 0}},
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
	tap_int(db_put_peaks(d, "f1", &single, &e), ASC_OK, "better peaks replace them");
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
	tap_int(db_put_peaks(d, "f1", &busy, &e), ASC_OK, "lower ones");
	tap_ok(finds(d, DTYPE_BF16, 800e9, 5e9) && finds(d, DTYPE_F32, 100e9, 5e9), "replace none");
	tap_ok(db_find_peaks(d, "f1", DTYPE_F32, &p, &e) == ASC_OK &&
		       has_spread(peaks_find(&p, PEAK_ARITHMETIC, "f32"), 60e9, 5),
	       "but the worst moment is theirs");
	db_close(d);
}

/* A rate without a worst one is of a version that did not count moments. */
static void test_older_version(void)
{
	const struct peaks old = {.rows = {{PEAK_ARITHMETIC, "f32", 100e9, 0, 0}}, .n = 1};
	const struct peaks now = {.rows = {{PEAK_ARITHMETIC, "f32", 80e9, 70e9, 5}}, .n = 1};
	int64_t run;
	struct db *d = rows_open(rows_path("older.db"), &run);

	tap_int(db_put_peaks(d, "f1", &old, &e), ASC_OK, "a rate of an earlier version");
	tap_int(db_put_peaks(d, "f1", &now, &e), ASC_OK, "measured now");
	tap_ok(finds(d, DTYPE_F32, 80e9, 0), "any measured rate replaces it");
	tap_int(db_put_peaks(d, "f1", &old, &e), ASC_OK, "merged once more");
	tap_ok(finds(d, DTYPE_F32, 80e9, 0), "it replaces none");
	db_close(d);
}

/* Rows of other kinds: those of the type asked for, and those of no type. */
static void test_kinds(void)
{
	const struct peaks all = {.rows = {{PEAK_ARITHMETIC, "f32", 9, 9, 1},
					   {PEAK_ARITHMETIC, "plain:f32", 8, 8, 1},
					   {PEAK_ARITHMETIC, "tensor:f32", 7, 7, 1},
					   {PEAK_ARITHMETIC, "plain:f64", 6, 6, 1},
					   {PEAK_MEMORY, PEAK_L2, 5, 5, 1},
					   {PEAK_MEMORY, PEAK_SHARED, 4, 4, 1},
					   {PEAK_LAUNCHES, PEAK_LAUNCH, 3, 3, 1}},
				  .n = 7};
	int64_t run;
	struct peaks p;
	struct db *d = rows_open(rows_path("kinds.db"), &run);

	tap_int(db_put_peaks(d, "f1", &all, &e), ASC_OK, "peaks of all kinds");
	tap_int(db_find_peaks(d, "f1", DTYPE_F32, &p, &e), ASC_OK, "are found");
	tap_int(p.n, 6, "but those of another type");
	tap_ok(peaks_units(&p, PEAK_PLAIN, DTYPE_F32) == 8 &&
		       peaks_units(&p, PEAK_TENSOR, DTYPE_F32) == 7 &&
		       peaks_find(&p, PEAK_MEMORY, PEAK_L2)->rate == 5 &&
		       peaks_find(&p, PEAK_LAUNCHES, PEAK_LAUNCH)->rate == 3,
	       "each as it was kept");
	tap_int(db_find_peaks(d, "f1", DTYPE_F64, &p, &e), ASC_OK, "of f64");
	tap_ok(p.n == 4 && peaks_units(&p, PEAK_PLAIN, DTYPE_F64) == 6,
	       "its own row and the common ones");
	db_close(d);
}

/* Databases of one machine: a slow moment of it, and a fast one that the cache knows. */
static void test_cache(void)
{
	const struct peaks slow = {
		.rows = {{PEAK_ARITHMETIC, "f32", 100e9, 90e9, 5}, {PEAK_MEMORY, "", 5e9, 4e9, 5}},
		.n = 2};
	struct peaks fast = {.rows = {{PEAK_MEMORY, "", 10e9, 9e9, 0}}, .n = 1};
	const char *cache = rows_path("cache");
	struct roof roof;
	int64_t run;
	struct db *d = rows_open(rows_path("slow.db"), &run);

	bests_add(d, run, "B=1", RESULT_OK, 204.8);
	tap_int(db_put_peaks(d, "f1", &slow, &e), ASC_OK, "a database of a slow moment");
	struct bests s = bests_ask(d, NULL);
	tap_real(s.rows[0].attainable_part, 0.5, 1e-9, "without the cache: its own peaks");
	tap_int(dir_make(cache, &e), ASC_OK, "a cache");
	tap_int(db_use_peaks(d, cache, &e), ASC_OK, "is used");
	s = bests_ask(d, NULL);
	tap_real(s.rows[0].attainable_part, 0.5, 1e-9, "which has no peaks yet");
	db_close(d);
	tap_int(peaks_file_put(cache, "f1", &fast, &e), ASC_OK, "it has a faster one");
	tap_int(db_open(rows_path("slow.db"), DB_READ, &d, &e), ASC_OK, "read again");
	tap_int(db_use_peaks(d, cache, &e), ASC_OK, "with the cache");
	s = bests_ask(d, NULL);
	tap_ok(s.rows[0].peak_bandwidth == 10e9 && s.rows[0].peak_flops == 100e9,
	       "the best of both");
	tap_real(s.rows[0].attainable_part, 0.25, 1e-9, "the part of what is attainable then");
	tap_ok(!s.rows[0].attainable_note, "quiet moments of the database count");
	tap_ok(db_find_roof(d, "f9", "f32", &roof, &e) == ASC_OK && roof.flops == 0,
	       "another device has none");
	tap_ok(db_find_roof(d, NULL, "f32", &roof, &e) == ASC_OK && roof.flops == 0 &&
		       db_find_roof(d, "f1", NULL, &roof, &e) == ASC_OK && roof.flops == 0,
	       "nor has what is not known");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_peaks();
	test_older_version();
	test_kinds();
	test_cache();
	rows_leave();
	return tap_done();
}
