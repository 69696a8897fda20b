/* Ticks at round values, numbers as people read them. */
#include "reports/plot/axis.h"

#include <math.h>
#include <string.h>

#include "reports/plot/quantity.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

static void check_ticks(const struct axis *a, const char *want)
{
	struct buf b = {0};

	for (size_t i = 0; i < a->n; i++)
		buf_print(&b, "%s%s", i ? "|" : "", a->ticks[i].text);
	tap_str(buf_str(&b), want, "ticks");
	for (size_t i = 0; i < a->n; i++)
		if (!(axis_place(a, a->ticks[i].at) > -1e-6 &&
		      axis_place(a, a->ticks[i].at) < 1 + 1e-6))
			tap_ok(false, "%s lies outside", a->ticks[i].text);
	buf_fini(&b);
}

static void check_linear(double low, double high, const char *unit, const char *want)
{
	struct axis a;

	axis_init(&a, (struct axis_range){low, high}, 0, 6, unit);
	check_ticks(&a, want);
}

static void check_log(double low, double high, const char *unit, const char *want)
{
	struct axis a;

	axis_init_log(&a, (struct axis_range){low, high}, 0, 6, unit);
	check_ticks(&a, want);
}

static void test_linear(void)
{
	check_linear(0, 300, "", "0|50|100|150|200|250|300");
	check_linear(29e-6, 37e-6, "s", "30 µs|32 µs|34 µs|36 µs");
	check_linear(1.01, 1.05, "J", "1.01 J|1.02 J|1.03 J|1.04 J|1.05 J");
	check_linear(-0.5, 0.5, "", "−0.4|−0.2|0.0|0.2|0.4");
	check_linear(0, 90, "s", "0 s|20 s|40 s|60 s|80 s");
	check_linear(2e9, 9e9, "B/s", "2 GB/s|4 GB/s|6 GB/s|8 GB/s");
	check_linear(1e6, 4e6, "", "1000000|1500000|2000000|2500000|3000000|3500000|4000000");
}

static void test_log(void)
{
	check_log(18e-6, 250e-6, "s", "20 µs|30 µs|50 µs|70 µs|100 µs|200 µs");
	check_log(1, 99, "", "1|2|5|10|20|50");
	check_log(1e-9, 1, "s", "10 ns|1 µs|100 µs|10 ms|1 s");
	check_log(2e-5, 3e-5, "s", "20 µs|22 µs|24 µs|26 µs|28 µs|30 µs");
}

static void check_dates(double low, double days, const char *want)
{
	struct axis a;

	axis_init_dates(&a, (struct axis_range){low, low + days * 86400}, 0, 6);
	check_ticks(&a, want);
}

/* 1767225600 is 2026-01-01 00:00 UTC (date -u -d 2026-01-01 +%s). */
static void test_dates(void)
{
	check_dates(1767225600, 180, "Jan 2026|Feb 2026|Mar 2026|Apr 2026|May 2026|Jun 2026");
	check_dates(1767225600, 5,
		    "1 Jan 2026|2 Jan 2026|3 Jan 2026|4 Jan 2026|5 Jan 2026|6 Jan 2026");
	check_dates(1767225600 + 3600, 0.5, "1 Jan 03:00|1 Jan 06:00|1 Jan 09:00|1 Jan 12:00");
	check_dates(1767225600 - 86400 * 365, 365 * 8, "Jan 2026|Jan 2028|Jan 2030|Jan 2032");
}

static void test_degenerate(void)
{
	struct axis a;
	struct axis_range none = axis_range_none;

	axis_range_add(&none, NAN);
	axis_range_add(&none, INFINITY);
	axis_init(&a, none, 0.1, 6, "s");
	tap_ok(a.low < a.high && a.n > 0, "of nothing there is an axis");
	axis_init(&a, (struct axis_range){0, 0}, 0.1, 6, "s");
	tap_ok(a.low < 0 && a.high > 0 && a.n > 0, "of zero, too");
	axis_init_log(&a, (struct axis_range){3e-5, 3e-5}, 0.1, 6, "s");
	tap_ok(a.low > 0 && a.low < 3e-5 && a.high > 3e-5 && a.n > 0, "and of one value");
	axis_init_dates(&a, none, 0.1, 6);
	tap_ok(a.low < a.high, "and of no date");
	axis_init_dates(&a, (struct axis_range){-1e17, 1e17}, 0, 6);
	tap_ok(a.n <= AXIS_TICKS, "years beyond all are no trouble");
	axis_init(&a, (struct axis_range){-1e308, 1e308}, 0, 6, "");
	tap_ok(a.n <= AXIS_TICKS, "nor are numbers");
	axis_init_log(&a, (struct axis_range){1, 100}, 0, 6, "");
	tap_real(axis_place(&a, 10), 0.5, 1e-12, "the middle of a logarithmic axis");
	tap_real(axis_value(&a, 0.5), 10, 1e-9, "and back");
}

static void check_quantity(double value, const char *unit, const char *want)
{
	char text[QUANTITY_TEXT_SIZE];

	tap_str(quantity_print(value, unit, 3, text), want, "%g %s", value, unit);
}

static void test_quantities(void)
{
	check_quantity(11.94e-6, "s", "11.9 µs");
	check_quantity(999.96e-6, "s", "1.00 ms");
	check_quantity(999.7e-9, "s", "1.00 µs");
	check_quantity(99.96, "s", "100 s");
	check_quantity(75, "s", "75.0 s");
	check_quantity(6e13, "FLOP/s", "60.0 TFLOP/s");
	check_quantity(-0.0123, "J", "−12.3 mJ");
	check_quantity(0, "s", "0.00 s");
	check_quantity(1234, "registers", "1234 registers");
	check_quantity(NAN, "s", "–");
	check_quantity(4e-9, "B", "4e-09 B");
}

int main(void)
{
	test_linear();
	test_log();
	test_dates();
	test_degenerate();
	test_quantities();
	return tap_done();
}
