/* Golden numbers by arithmetic: 100 GFLOP/s and 20 GB/s meet at 5 FLOP/byte. */
#include "tuner/model/roofline.h"

#include <math.h>

#include "tests/tap.h"

static const struct peaks peaks = {DTYPE_F32, {100e9, 90e9, 5}, {20e9, 19e9, 5}};

static struct peaks make(double flops, double bandwidth)
{
	return (struct peaks){DTYPE_F32, {flops, flops, 1}, {bandwidth, bandwidth, 1}};
}

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
	tap_ok(roofline_place(&peaks, 50e9, 1e9, 1e9, &r), "50 FLOP/byte in a second");
	tap_str(r.bound, "compute", "is limited by the processor");
	tap_real(r.attainable, 100e9, 1, "to its peak");
	tap_real(r.part, 0.5, 1e-12, "50 of 100 GFLOP/s");
	tap_ok(roofline_place(&peaks, 5e9, 1e9, 50e6, &r), "where both meet");
	tap_str(r.bound, "compute", "memory is no limit");
	tap_real(r.part, 1, 1e-12, "all of it");
}

static void test_exceeded(void)
{
	struct roofline r;

	tap_ok(roofline_place(&peaks, 52e9, 1e9, 5e8, &r) && r.part == 1,
	       "104 of 100 GFLOP/s are all of it");
	tap_ok(!roofline_is_cached(&r), "with which caches have nothing to do");
	tap_ok(!roofline_place(&peaks, 59e9, 1e9, 5e8, &r) && r.part == 0 && !r.bound,
	       "118 are not possible: the peak is wrong");
	tap_ok(!roofline_place(&peaks, 4e9, 1e9, 30e6, &r),
	       "nor are 133 for what comes from caches");
	tap_ok(roofline_is_exceeded(&peaks, 59e9, 5e8), "the peak is exceeded");
	tap_ok(!roofline_is_exceeded(&peaks, 52e9, 5e8), "but not within its error");
	tap_ok(!roofline_is_exceeded(&(struct peaks){0}, 59e9, 5e8), "nor is one not known");
}

static void test_unknown(void)
{
	const struct peaks no_flops = make(0, 1), no_bandwidth = make(1, 0);
	struct roofline r;

	tap_ok(!roofline_place(&peaks, 0, 1, 1, &r) && !r.bound, "no FLOPs");
	tap_ok(!roofline_place(&peaks, 1, 0, 1, &r), "no bytes");
	tap_ok(!roofline_place(&peaks, 1, 1, 0, &r), "no time");
	tap_ok(!roofline_place(&peaks, NAN, 1, 1, &r), "not a number");
	tap_ok(!roofline_place(&no_flops, 1, 1, 1, &r), "no peak");
	tap_ok(!roofline_place(&no_bandwidth, 1, 1, 1, &r), "no bandwidth");
}

static bool is(const struct peak *p, double rate, double low, int64_t moments)
{
	return p->rate == rate && p->low == low && p->moments == moments;
}

static void test_moments(void)
{
	struct peak p = {0}, later = {0};

	peak_add(&p, 0);
	tap_ok(is(&p, 0, 0, 0), "a moment that tells nothing");
	peak_add(&p, 7);
	peak_add(&p, 5);
	peak_add(&p, 6);
	tap_ok(is(&p, 7, 5, 3), "the best moment, the worst, three in all");
	peak_join(&p, &later);
	tap_ok(is(&p, 7, 5, 3), "nothing later");
	later = (struct peak){6, 4, 2};
	peak_join(&p, &later);
	tap_ok(is(&p, 7, 4, 5), "a busy machine later: the higher rate stands");
	later = (struct peak){9, 8, 2};
	peak_join(&p, &later);
	tap_ok(is(&p, 9, 4, 7), "and is replaced by a higher one");
	p = (struct peak){.rate = 20};
	peak_join(&p, &later);
	tap_ok(is(&p, 9, 8, 2), "of moments that are not known it is replaced by any");
}

int main(void)
{
	test_places();
	test_exceeded();
	test_unknown();
	test_moments();
	return tap_done();
}
