/* Golden numbers by arithmetic: 100 GFLOP/s and 20 GB/s meet at 5 FLOP/byte. */
#include "tuner/results/roofline.h"

#include <math.h>

#include "tests/tap.h"

static const struct roof roof = {100e9, 20e9};

static void test_places(void)
{
	struct roofline r;

	tap_ok(roofline_place(&roof, 2e9, 1e9, 100e6, &r), "2 FLOP/byte in 100 ms");
	tap_real(r.intensity, 2, 0, "intensity");
	tap_str(r.bound, "memory", "is limited by memory");
	tap_real(r.attainable, 40e9, 1, "to 2 times 20 GB/s");
	tap_real(r.part, 0.5, 1e-12, "20 of 40 GFLOP/s");
	tap_ok(!roofline_is_cached(&r), "which it is not faster than");
	tap_real(roofline_part_pct(&r), 50, 1e-9, "which all outputs give");
	tap_ok(roofline_place(&roof, 2e9, 1e9, 25e6, &r) && roofline_is_cached(&r),
	       "in 25 ms the data comes from caches");
	tap_real(roofline_part_pct(&r), 0, 0, "of which no output gives a part");
	tap_ok(roofline_place(&roof, 50e9, 1e9, 1e9, &r), "50 FLOP/byte in a second");
	tap_str(r.bound, "compute", "is limited by the processor");
	tap_real(r.attainable, 100e9, 1, "to its peak");
	tap_real(r.part, 0.5, 1e-12, "50 of 100 GFLOP/s");
	tap_ok(roofline_place(&roof, 5e9, 1e9, 50e6, &r), "where both meet");
	tap_str(r.bound, "compute", "memory is no limit");
	tap_real(r.part, 1, 1e-12, "all of it");
}

static void test_exceeded(void)
{
	struct roofline r;

	tap_ok(roofline_place(&roof, 52e9, 1e9, 5e8, &r) && r.part == 1,
	       "104 of 100 GFLOP/s are all of it");
	tap_ok(!roofline_is_cached(&r), "with which caches have nothing to do");
	tap_ok(!roofline_place(&roof, 59e9, 1e9, 5e8, &r) && r.part == 0 && !r.bound,
	       "118 are not possible: the peak is wrong");
	tap_real(roofline_part_pct(&r), 0, 0, "no part of an unknown peak is given");
	tap_ok(!roofline_place(&roof, 4e9, 1e9, 30e6, &r),
	       "nor are 133 for what comes from caches");
	tap_ok(roofline_is_exceeded(&roof, 59e9, 5e8), "the peak is exceeded");
	tap_ok(!roofline_is_exceeded(&roof, 52e9, 5e8), "but not within its error");
	tap_ok(!roofline_is_exceeded(&(struct roof){0}, 59e9, 5e8), "nor is one not known");
}

static void test_unknown(void)
{
	const struct roof no_flops = {0, 1}, no_bandwidth = {1, 0};
	struct roofline r;

	tap_ok(!roofline_place(&roof, 0, 1, 1, &r) && !r.bound, "no FLOPs");
	tap_ok(!roofline_place(&roof, 1, 0, 1, &r), "no bytes");
	tap_ok(!roofline_place(&roof, 1, 1, 0, &r), "no time");
	tap_ok(!roofline_place(&roof, NAN, 1, 1, &r), "not a number");
	tap_ok(!roofline_place(&no_flops, 1, 1, 1, &r), "no peak");
	tap_ok(!roofline_place(&no_bandwidth, 1, 1, 1, &r), "no bandwidth");
}

static bool is(const struct peaks *p, double rate, double low, int64_t moments)
{
	const struct peak *row = peaks_find(p, PEAK_ARITHMETIC, "f32");

	return row->rate == rate && row->low == low && row->moments == moments;
}

static struct peaks make(double rate, double low, int64_t moments)
{
	return (struct peaks){.rows = {{PEAK_ARITHMETIC, "f32", rate, low, moments}}, .n = 1};
}

static void test_moments(void)
{
	struct peaks p = {0}, later = {0};

	peaks_add(&p, PEAK_ARITHMETIC, "f32", 0);
	tap_ok(is(&p, 0, 0, 0), "a moment that tells nothing");
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 7);
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 5);
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 6);
	tap_ok(is(&p, 7, 5, 3), "the best moment, the worst, three in all");
	peaks_join(&p, &later);
	tap_ok(is(&p, 7, 5, 3), "nothing is measured later");
	later = make(6, 4, 2);
	peaks_join(&p, &later);
	tap_ok(is(&p, 7, 4, 5), "a busy machine later: the higher rate stands");
	later = make(9, 8, 2);
	peaks_join(&p, &later);
	tap_ok(is(&p, 9, 4, 7), "a rate is replaced by a higher one");
	p = make(20, 0, 0);
	peaks_join(&p, &later);
	tap_ok(is(&p, 9, 8, 2), "a rate of moments that are not known is replaced by any");
}

static void test_rows(void)
{
	struct peaks p = {0};
	const struct peaks other = {.rows = {{PEAK_ARITHMETIC, "bf16", 40, 30, 1}}, .n = 1};

	tap_int(peaks_find(&p, PEAK_MEMORY, "")->rate, 0, "no rate without a row");
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 8);
	peaks_add(&p, PEAK_MEMORY, "", 3);
	peaks_join(&p, &other);
	tap_int(p.n, 3, "rows: two types and memory");
	struct roof r = peaks_roof(&p, DTYPE_F32);
	tap_ok(r.flops == 8 && r.bandwidth == 3, "the roof of f32");
	r = peaks_roof(&p, DTYPE_BF16);
	tap_ok(r.flops == 40 && r.bandwidth == 3, "the roof of bf16");
	r = peaks_roof(&p, DTYPE_F64);
	tap_ok(r.flops == 0 && r.bandwidth == 3, "the roof of f64, whose arithmetic is not known");
	while (p.n < PEAKS_MAX)
		(void)peaks_row(&p, "op/s", (const char[]){(char)('a' + (int)p.n), 0});
	tap_ok(!peaks_row(&p, "op/s", "z"), "no room for another row");
	peaks_add(&p, "op/s", "z", 1);
	tap_int(p.n, PEAKS_MAX, "rows when another one is measured");
}

int main(void)
{
	test_places();
	test_exceeded();
	test_unknown();
	test_moments();
	test_rows();
	return tap_done();
}
