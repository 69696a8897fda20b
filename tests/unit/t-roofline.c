/* Golden numbers by arithmetic: 100 GFLOP/s and 20 GB/s meet at 5 FLOP/byte. */
#include "tuner/model/roofline.h"

#include <math.h>

#include "tests/tap.h"

static const struct peaks peaks = {100e9, 20e9, 0};

static void test_places(void)
{
	struct roofline r;

	tap_ok(roofline_place(&peaks, 2e9, 1e9, 100e6, &r), "2 FLOP/byte in 100 ms");
	tap_real(r.intensity, 2, 0, "intensity");
	tap_str(r.bound, "memory", "is limited by memory");
	tap_real(r.attainable, 40e9, 1, "to 2 times 20 GB/s");
	tap_real(r.part, 0.5, 1e-12, "20 of 40 GFLOP/s");
	tap_ok(!roofline_is_cached(&r), "which it is not faster than");
	tap_ok(roofline_place(&peaks, 2e9, 1e9, 25e6, &r) && roofline_is_cached(&r),
	       "in 25 ms the data comes from caches");
	tap_ok(roofline_place(&peaks, 50e9, 1e9, 1e8, &r) && !roofline_is_cached(&r),
	       "beyond the peak of the processor nothing does");
	tap_ok(roofline_place(&peaks, 50e9, 1e9, 1e9, &r), "50 FLOP/byte in a second");
	tap_str(r.bound, "compute", "is limited by the processor");
	tap_real(r.attainable, 100e9, 1, "to its peak");
	tap_real(r.part, 0.5, 1e-12, "50 of 100 GFLOP/s");
	tap_ok(roofline_place(&peaks, 5e9, 1e9, 50e6, &r), "where both meet");
	tap_str(r.bound, "compute", "memory is no limit");
	tap_real(r.part, 1, 1e-12, "all of it");
}

static void test_unknown(void)
{
	struct roofline r;

	tap_ok(!roofline_place(&peaks, 0, 1, 1, &r) && !r.bound, "no FLOPs");
	tap_ok(!roofline_place(&peaks, 1, 0, 1, &r), "no bytes");
	tap_ok(!roofline_place(&peaks, 1, 1, 0, &r), "no time");
	tap_ok(!roofline_place(&peaks, NAN, 1, 1, &r), "not a number");
	tap_ok(!roofline_place(&(struct peaks){0, 1, 0}, 1, 1, 1, &r), "no peak");
	tap_ok(!roofline_place(&(struct peaks){1, 0, 0}, 1, 1, 1, &r), "no bandwidth");
}

static void test_choice(void)
{
	const struct peaks units = {100e9, 20e9, 800e9};

	tap_real(peaks_choose(&units, true).flops, 800e9, 0, "halves have the matrix units");
	tap_real(peaks_choose(&units, false).flops, 100e9, 0, "others have not");
	tap_real(peaks_choose(&peaks, true).flops, 100e9, 0, "as others where they are not known");
	tap_real(peaks_choose(&units, true).bandwidth, 20e9, 0, "the memory is the same");
}

int main(void)
{
	test_choice();
	test_places();
	test_unknown();
	return tap_done();
}
