/* Golden numbers by arithmetic: 100 GFLOP/s and 20 GB/s meet at 5 FLOP/byte.
 * covers: roofline.c */
#include "tuner/result/roofline.h"

#include <math.h>

#include "tests/tap.h"

static const struct roof roof = {.flops = 100e9, .bandwidth = 20e9};

static void test_places(void)
{
	struct roofline r;

	tap_ok(roofline_place(&roof, 2e9, 1e9, 100e6, &r), "2 FLOP/byte in 100 ms");
	tap_real(r.intensity, 2, 0, "intensity");
	tap_str(r.bound, "memory", "is limited by memory");
	tap_real(r.attainable, 40e9, 1, "to 2 times 20 GB/s");
	tap_real(r.part, 0.5, 1e-12, "20 of 40 GFLOP/s");
	tap_ok(!r.note, "which needs no note");
	tap_ok(roofline_place(&roof, 2e9, 1e9, 25e6, &r), "80 of 40 GFLOP/s");
	tap_real(r.part, 2, 1e-12, "are twice what memory gives");
	tap_str(r.note, "caches", "and come from caches");
	tap_has(roofline_explain(r.note), "stayed in caches", "note: caches");
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

	tap_ok(roofline_place(&roof, 59e9, 1e9, 5e8, &r), "118 of 100 GFLOP/s have a place");
	tap_real(r.part, 1.18, 1e-12, "above all of it");
	tap_str(r.note, "above peak", "which is said");
	tap_has(roofline_explain(r.note), "wrong FLOPs", "note: above peak");
	tap_ok(roofline_place(&roof, 4e9, 1e9, 30e6, &r),
	       "so have 133 of what 80 are attainable of");
	tap_str(r.note, "caches", "whose data came from caches");
}

static void test_busy(void)
{
	const struct roof memory = {.flops = 100e9, .bandwidth = 20e9, .bandwidth_busy = true};
	const struct roof arithmetic = {.flops = 100e9, .bandwidth = 20e9, .flops_busy = true};
	struct roofline r;

	tap_ok(roofline_place(&memory, 2e9, 1e9, 100e6, &r), "memory measured beside load");
	tap_str(r.note, "busy", "marks what memory limits");
	tap_has(roofline_explain(r.note), "measures it again", "note: busy");
	tap_ok(roofline_place(&memory, 2e9, 1e9, 25e6, &r), "more than such a peak");
	tap_str(r.note, "busy", "is blamed on the peak first");
	tap_ok(roofline_place(&memory, 50e9, 1e9, 1e9, &r) && !r.note,
	       "what the processor limits has no mark");
	tap_ok(roofline_place(&arithmetic, 50e9, 1e9, 1e9, &r), "arithmetic measured beside load");
	tap_str(r.note, "busy", "marks it");
}

static void test_unknown(void)
{
	const struct roof no_flops = {.bandwidth = 1}, no_bandwidth = {.flops = 1};
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

	peaks_add(&p, PEAK_ARITHMETIC, "f32", 0, false);
	tap_ok(is(&p, 0, 0, 0), "a moment that tells nothing");
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 7, false);
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 5, false);
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 6, false);
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
	later = make(20, 0, 0);
	peaks_join(&p, &later);
	tap_ok(is(&p, 9, 8, 2), "and replaces none");
}

static void test_busy_moments(void)
{
	struct peaks p = {0}, other;

	peaks_add(&p, PEAK_ARITHMETIC, "f32", 7, true);
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 5, true);
	tap_ok(is(&p, 7, 5, 0), "moments beside load: their rate, none of them counts");
	tap_ok(peaks_roof(&p, DTYPE_F32).flops_busy, "such a roof is marked");
	other = make(6, 6, 3);
	peaks_join(&p, &other);
	tap_ok(is(&p, 7, 5, 3), "quiet moments later: the higher rate stands");
	tap_ok(!peaks_roof(&p, DTYPE_F32).flops_busy, "without the mark");
	other = make(8, 4, 2);
	peaks_merge(&p, &other);
	tap_ok(is(&p, 8, 4, 3), "what another place keeps: its moments are not added");
	other = make(6, 6, 5);
	peaks_merge(&p, &other);
	tap_ok(is(&p, 8, 4, 5), "the place that knows more of them is believed");
}

/* Rows of a type of which so many moments were quiet, tried at a time. */
static struct peaks tried(int64_t moments, int64_t ms)
{
	struct peaks p = {.rows = {{PEAK_ARITHMETIC, "f32", 5, 5, moments},
				   {PEAK_ARITHMETIC, "plain:f32", 5, 5, moments},
				   {PEAK_MEMORY, "", 5, 5, moments},
				   {PEAK_LAUNCHES, PEAK_LAUNCH, 5, 5, moments}},
			  .n = 4};

	if (ms)
		peaks_note_try(&p, DTYPE_F32, ms);
	return p;
}

static void test_due(void)
{
	enum { HOUR = 3600000, NOW = 10 * HOUR };
	struct peaks p = {0};

	tap_ok(peaks_due(&p, DTYPE_F32, NOW, false), "nothing is known");
	p = tried(15, 0);
	tap_ok(!peaks_due(&p, DTYPE_F32, NOW, false), "believed peaks of an earlier version");
	tap_ok(peaks_due(&p, DTYPE_F16, NOW, false), "not of another type");
	tap_ok(peaks_due(&p, DTYPE_F32, NOW, true), "a kernel is faster than they allow");
	p = tried(15, NOW - HOUR + 1);
	tap_ok(!peaks_due(&p, DTYPE_F32, NOW, true), "they were measured within the hour");
	tap_ok(peaks_due(&p, DTYPE_F32, NOW + 1, true), "an hour ago");
	p = tried(5, NOW - 1);
	tap_ok(peaks_due(&p, DTYPE_F32, NOW, false), "few moments, all of them quiet");
	p = tried(4, NOW - 1);
	tap_ok(!peaks_due(&p, DTYPE_F32, NOW, false), "a busy machine is left alone");
	tap_ok(peaks_due(&p, DTYPE_F32, NOW - 1 + HOUR, false), "for an hour");
	tap_ok(peaks_due(&p, DTYPE_F32, NOW - 2, false), "a clock that was put back");
	/* As f16 on a CPU: no unit computes in it. */
	p = tried(15, NOW - 1);
	p.rows[0].rate = p.rows[1].rate = 0;
	tap_ok(!peaks_due(&p, DTYPE_F32, NOW, false), "a rate that no unit has");
	p.rows[2].moments = 0;
	tap_ok(peaks_due(&p, DTYPE_F32, NOW, false), "beside others that are doubtful");
}

static void test_rows(void)
{
	struct peaks p = {0};
	const struct peaks other = {.rows = {{PEAK_ARITHMETIC, "bf16", 40, 30, 1}}, .n = 1};

	tap_int(peaks_find(&p, PEAK_MEMORY, "")->rate, 0, "no rate without a row");
	peaks_add(&p, PEAK_ARITHMETIC, "f32", 8, false);
	peaks_add(&p, PEAK_MEMORY, "", 3, false);
	peaks_join(&p, &other);
	tap_int(p.n, 3, "rows: two types and memory");
	struct roof r = peaks_roof(&p, DTYPE_F32);
	tap_ok(r.flops == 8 && r.bandwidth == 3, "the roof of f32");
	r = peaks_roof(&p, DTYPE_BF16);
	tap_ok(r.flops == 40 && r.bandwidth == 3, "the roof of bf16");
	r = peaks_roof(&p, DTYPE_F64);
	tap_ok(r.flops == 0 && r.bandwidth == 3, "the roof of f64, whose arithmetic is not known");
	while (p.n < PEAKS_MAX)
		(void)peaks_row(&p, "op/s", (const char[]){(char)('A' + (int)p.n), 0});
	tap_ok(!peaks_row(&p, "op/s", "~"), "no room for another row");
	peaks_add(&p, "op/s", "~", 1, false);
	tap_int(p.n, PEAKS_MAX, "rows when another one is measured");
}

static void test_units(void)
{
	struct peaks p = {0};

	peaks_add(&p, PEAK_ARITHMETIC, "bf16", 800, false);
	tap_real(peaks_units(&p, PEAK_PLAIN, DTYPE_BF16), 0, 0,
		 "a row of an earlier version tells no unit");
	peaks_add(&p, PEAK_ARITHMETIC, "plain:bf16", 60, false);
	peaks_add(&p, PEAK_ARITHMETIC, "tensor:bf16", 800, false);
	tap_real(peaks_units(&p, PEAK_PLAIN, DTYPE_BF16), 60, 0, "plain units");
	tap_real(peaks_units(&p, PEAK_TENSOR, DTYPE_BF16), 800, 0, "tensor units");
	tap_real(peaks_units(&p, PEAK_TENSOR, DTYPE_F64), 0, 0,
		 "of another type they are not known");
}

/* A launch in 2 us, and a block in 10 ns. */
static void test_empty(void)
{
	struct peaks p = {0};

	tap_ok(isnan(peaks_empty_ns(&p, 0, 1, 1)), "nothing is known of empty launches");
	peaks_add(&p, PEAK_LAUNCHES, PEAK_LAUNCH, 5e5, false);
	tap_ok(isnan(peaks_empty_ns(&p, 0, 1, 1)), "nor without what a block takes");
	peaks_add(&p, PEAK_LAUNCHES, PEAK_BLOCK, 1e8, false);
	tap_real(peaks_empty_ns(&p, 0, 1, 100), 3000, 1e-6, "of a hundred blocks");
	tap_real(peaks_empty_ns(&p, 2, 1, 100), 3000, 1e-6, "the same by two threads");
	tap_real(peaks_empty_ns(&p, 2, 3, 100), 7000, 1e-6, "of three kernels, each a launch");
	peaks_add(&p, PEAK_LAUNCHES, PEAK_FURTHER, 2e6, false);
	tap_real(peaks_empty_ns(&p, 0, 3, 100), 4000, 1e-6, "where further ones are known");
	tap_ok(isnan(peaks_empty_ns(&p, 1, 1, 100)), "what one thread takes is another rate");
	peaks_add(&p, PEAK_LAUNCHES, PEAK_SINGLE, 1e7, false);
	tap_real(peaks_empty_ns(&p, 1, 1, 100), 1100, 1e-6, "one thread starts none");
}

int main(void)
{
	test_places();
	test_exceeded();
	test_busy();
	test_unknown();
	test_moments();
	test_busy_moments();
	test_due();
	test_rows();
	test_units();
	test_empty();
	return tap_done();
}
