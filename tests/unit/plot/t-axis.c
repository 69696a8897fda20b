/* Ranges and units of axes. Ticks are gnuplot's: t-plot sees them.
 * covers: axis.c */
#include "reports/page/plot/axis.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static void check_axis(const struct axis *a, enum axis_scale scale, double low, double high,
		       const char *unit, const char *what)
{
	tap_int(a->scale, scale, "%s: scale", what);
	tap_real(a->low, low, 1e-9 * fabs(high), "%s: low end", what);
	tap_real(a->high, high, 1e-9 * fabs(high), "%s: high end", what);
	tap_str(a->unit.unit, unit, "%s: unit", what);
}

static void test_ranges(void)
{
	char text[UNITS_TEXT_SIZE];
	struct axis a;

	axis_init(&a, (struct axis_range){20e-6, 40e-6}, 0.05, "s");
	check_axis(&a, AXIS_LINEAR, 19e-6, 41e-6, "µs", "linear");
	tap_real(a.unit.factor, 1e-6, 1e-15, "numbers are given in that unit");
	axis_init(&a, (struct axis_range){-1, 3}, 0, "");
	check_axis(&a, AXIS_LINEAR, -1, 3, "", "without a unit");
	axis_init_log(&a, (struct axis_range){1, 100}, 0.5, "s");
	check_axis(&a, AXIS_LOG, 0.1, 1000, "s", "two decades and one more");
	axis_init_log(&a, (struct axis_range){1e-3, 3e-3}, 0, "s");
	check_axis(&a, AXIS_LINEAR, 1e-3, 3e-3, "ms", "a factor of 3 is shown linearly");
	axis_init_log(&a, (struct axis_range){3e-4, 9e-3}, 0, "s");
	check_axis(&a, AXIS_LOG, 3e-4, 9e-3, "ms", "one unit for all ticks");
	tap_str(axis_print(&a, 3e-4, 3, text), "0.300 ms", "and for what stands beside them");
	tap_ok(!a.prefixes, "no other prefix");
	axis_init_log(&a, (struct axis_range){1e-9, 1}, 0, "s");
	tap_ok(a.prefixes, "but over nine decades");
	tap_str(axis_print(&a, 3e-4, 3, text), "300 µs", "where each number has its own");
	axis_init_dates(&a, (struct axis_range){1767225600, 1767225600 + 86400 * 10.}, 0.1);
	check_axis(&a, AXIS_DATES, 1767225600 - 86400, 1767225600 + 86400 * 11., "", "ten days");
	axis_init_dates(&a, (struct axis_range){1767225600, 1767225600}, 0);
	check_axis(&a, AXIS_DATES, 1767225600 - 86400, 1767225600 + 86400, "", "one moment");
	axis_init_dates(&a, (struct axis_range){-1e17, 1e17}, 0);
	check_axis(&a, AXIS_LINEAR, -1e17, 1e17, "", "years beyond all");
}

static void test_degenerate(void)
{
	struct axis a;
	struct axis_range none = axis_range_none;

	axis_range_add(&none, NAN);
	axis_range_add(&none, INFINITY);
	axis_init(&a, none, 0.1, "s");
	tap_ok(a.low < a.high && a.unit.factor > 0, "of nothing there is an axis");
	axis_init(&a, (struct axis_range){0, 0}, 0.1, "s");
	tap_ok(a.low < 0 && a.high > 0, "of zero, too");
	axis_init_log(&a, (struct axis_range){3e-5, 3e-5}, 0.1, "s");
	tap_ok(a.low > 0 && a.low < 3e-5 && a.high > 3e-5, "and of one value");
	axis_init_dates(&a, none, 0.1);
	tap_ok(a.low < a.high, "and of no date");
	axis_init_log(&a, (struct axis_range){1, 100}, 0, "");
	tap_real(axis_place(&a, 10), 0.5, 1e-12, "the middle of a logarithmic axis");
	tap_real(axis_value(&a, 0.5), 10, 1e-9, "and back");
	axis_init(&a, (struct axis_range){10, 20}, 0, "");
	tap_real(axis_place(&a, 15), 0.5, 1e-12, "the middle of a linear axis");
	tap_real(axis_value(&a, 0.5), 15, 1e-9, "and back");
}

int main(void)
{
	test_ranges();
	test_degenerate();
	return tap_done();
}
