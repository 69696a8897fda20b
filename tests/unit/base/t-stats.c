/* Quartiles and intervals of the median. Expected quartiles are those of Python:
 * statistics.quantiles(x, n=4, method='inclusive'); ranks are those of scipy 1.17's binom.cdf.
 * covers: stats.c */
#include <stddef.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/stats/stats.h"

static void check(const char *name, int64_t *samples, size_t n, const double want[5])
{
	struct stats_summary s;
	stats_summarize(samples, n, &s);
	tap_int(s.n, n, "%s: n", name);
	tap_real(s.min, want[0], 0, "%s: min", name);
	tap_real(s.q1, want[1], 0, "%s: q1", name);
	tap_real(s.median, want[2], 0, "%s: median", name);
	tap_real(s.q3, want[3], 0, "%s: q3", name);
	tap_real(s.max, want[4], 0, "%s: max", name);
}

static void test_ranks(void)
{
	static const struct {
		size_t n, low, high;
	} cases[] = {{6, 1, 6},    {7, 1, 7},    {8, 1, 8},    {9, 2, 8},     {10, 2, 9},
		     {12, 3, 10},  {16, 4, 13},  {18, 5, 14},  {20, 6, 15},   {25, 8, 18},
		     {32, 10, 23}, {50, 18, 33}, {64, 24, 41}, {100, 40, 61}, {2000, 956, 1045}};
	size_t low, high;

	for (size_t n = 0; n < 6; n++)
		tap_ok(!stats_median_ranks(n, &low, &high), "no interval from %zu samples", n);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_ok(stats_median_ranks(cases[i].n, &low, &high), "%zu samples", cases[i].n);
		tap_int(low, cases[i].low, "lower rank");
		tap_int(high, cases[i].high, "upper rank");
	}
}

static void test_interval(void)
{
	int64_t samples[] = {90, 10, 80, 20, 70, 30, 60, 40, 50, 100};
	double few[] = {1.5, 1.25, 1.0};
	double many[] = {6, 5, 4, 3, 2, 1};
	struct stats_summary s;
	struct stats_interval i;

	stats_summarize(samples, 10, &s);
	tap_ok(s.interval.known, "10 samples have an interval");
	tap_real(s.interval.low, 20, 0, "from the second");
	tap_real(s.interval.high, 90, 0, "to the ninth");
	stats_summarize(samples, 5, &s);
	tap_ok(!s.interval.known && s.interval.low == 0, "5 have none");
	tap_real(stats_median(few, 3, &i), 1.25, 0, "the median of three numbers");
	tap_ok(!i.known && i.low == 1 && i.high == 1.5, "and their range");
	tap_real(stats_median(many, 6, &i), 3.5, 0, "of six");
	tap_ok(i.known && i.low == 1 && i.high == 6, "and their interval");
}

/* Against the median of the sorted numbers. */
static void test_select(void)
{
	double numbers[2][64];
	struct stats_interval i;
	struct rng r;
	size_t wrong = 0;

	rng_init(&r, 1);
	for (size_t n = 1; n <= 64; n++)
		for (size_t round = 0; round < 20; round++) {
			for (size_t k = 0; k < n; k++)
				numbers[0][k] = numbers[1][k] =
					(double)rng_below(&r, 1 + round * round);
			double have = stats_select_median(numbers[0], n);
			double want = stats_median(numbers[1], n, &i);

			wrong += have < want || have > want;
		}
	tap_int(wrong, 0, "medians without sorting, with many ties and few");
}

/* Binomial tails by hand. */
static void test_sign_test(void)
{
	tap_real(stats_sign_test(7, 7), 1.0 / 128, 1e-15, "seven of seven");
	tap_real(stats_sign_test(7, 8), 9.0 / 256, 1e-15, "seven of eight");
	tap_real(stats_sign_test(2, 4), 11.0 / 16, 1e-15, "two of four");
	tap_real(stats_sign_test(0, 5), 1, 1e-15, "at least none of five");
	tap_real(stats_sign_test(0, 0), 1, 0, "none of none");
	tap_real(stats_sign_test(25, 32), 4514873.0 / 4294967296.0, 1e-12, "25 of 32");
}

int main(void)
{
	test_sign_test();
	int64_t one[] = {7};
	int64_t two[] = {20, 10};
	int64_t four[] = {4, 1, 3, 2};
	int64_t five[] = {50, 10, 40, 20, 30};
	int64_t ten[] = {97, 3, 41, 12, 12, 5, 88, 60, 23, 7};
	int64_t wide[] = {INT64_MAX, INT64_MIN, 0};
	check("none", NULL, 0, (double[]){0, 0, 0, 0, 0});
	check("one", one, 1, (double[]){7, 7, 7, 7, 7});
	check("two", two, 2, (double[]){10, 12.5, 15, 17.5, 20});
	check("four", four, 4, (double[]){1, 1.75, 2.5, 3.25, 4});
	check("five", five, 5, (double[]){10, 20, 30, 40, 50});
	check("ten", ten, 10, (double[]){3, 8.25, 17.5, 55.25, 97});
	check("wide", wide, 3, (double[]){-0x1p63, -0x1p62, 0, 0x1p62, 0x1p63});
	tap_ok(ten[0] == 3 && ten[9] == 97 && ten[4] == 12, "samples are sorted in place");
	test_ranks();
	test_interval();
	test_select();
	return tap_done();
}
