/* Quantities, read and written.
 * covers: units.c */
#include <math.h>
#include <stddef.h>

#include "tests/tap.h"
#include "tuner/base/units.h"

static void test_durations(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {{"1ns", 1},
		    {"30s", 30000000000},
		    {"1.5m", 90000000000},
		    {"2min", 120000000000},
		    {"1.25 ms", 1250000},
		    {"0.5us", 500},
		    {"1.5ns", 2},
		    {"2h", 7200000000000},
		    {"1 min 30 s", 90000000000},
		    {"2 h 5 min", 7500000000000},
		    {UNITS_DURATION_MOST, INT64_C(9003600000000000)}};
	static const char *const bad[] = {
		"",           "30",          "s",         "30 sec",   "-1s",
		"+1s",        "0s",          "0.1ns",     "1e3s",     "0x1s",
		" 1s",        "1s ",         "1,5s",      "1.2.3s",   "infs",
		"nans",       "99999999h",   "1S",        "2502h",    "2562047h",
		"30 s 1 min", "1 min 1 min", "1 min30 s", "1 min 30", "2501h 1h"};
	int64_t ns;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ns = -1;
		tap_ok(units_parse_duration(good[i].text, &ns), "'%s' is read", good[i].text);
		tap_int(ns, good[i].ns, "'%s' in ns", good[i].text);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!units_parse_duration(bad[i], &ns), "'%s' is refused", bad[i]);
}

static void test_counts(void)
{
	static const char *const bad[] = {"",    "0",  "-1", "+1",   "1.5",
					  "1e3", " 1", "1 ", "0x10", "18446744073709551616"};
	uint64_t n = 0;
	tap_ok(units_parse_count("200", &n) && n == 200, "count 200");
	tap_ok(units_parse_count("18446744073709551615", &n) && n == UINT64_MAX, "count 2^64-1");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!units_parse_count(bad[i], &n), "count '%s' is refused", bad[i]);
}

static void test_print(void)
{
	char text[UNITS_TEXT_SIZE];
	tap_str(units_print_duration(0, text), "0 ns", "duration 0");
	tap_str(units_print_duration(0.25, text), "0.25 ns", "duration below 1 ns");
	tap_str(units_print_duration(1250000, text), "1.25 ms", "duration 1.25 ms");
	tap_str(units_print_duration(999960, text), "1 ms", "duration that rounds up a unit");
	tap_str(units_print_duration(999940, text), "999.9 us", "duration that does not");
	tap_str(units_print_duration(90e9, text), "1 min 30 s", "duration in minutes");
	tap_str(units_print_duration(59.999e9, text), "1 min", "duration that rounds to a minute");
	tap_str(units_print_duration(3599.7e9, text), "1 h", "duration that rounds to an hour");
	tap_str(units_print_duration(7500e9, text), "2 h 5 min", "duration in hours and minutes");
	tap_str(units_print_duration(-2e9, text), "-2 s", "negative duration");
	tap_str(units_print_duration(7200e9, text), "2 h", "duration in hours");
	tap_str(units_print_signed(5.06, 1, text), "+5.1", "a number with its sign");
	tap_str(units_print_signed(-0.04, 1, text), "+0.0", "what rounds to 0 is not negative");
	tap_str(units_print_signed(-0.06, 1, text), "-0.1", "what does not is");
	tap_str(units_print_signed(-10.4, 0, text), "-10", "without decimals");
	tap_str(units_print_signed(-INFINITY, 1, text), "-inf", "an infinite one");
	tap_str(units_print_bytes(512, text), "512 B", "bytes");
	tap_str(units_print_bytes(16777216, text), "16 MiB", "bytes in MiB");
	tap_str(units_print_bytes(1536, text), "1.5 KiB", "bytes in KiB");
	tap_str(units_print_rate(1.2e9, "FLOP/s", text), "1.2 GFLOP/s", "rate in G");
	tap_str(units_print_rate(12, "B/s", text), "12 B/s", "rate without prefix");
	tap_str(units_print_rate(989.4e12, "FLOP/s", text), "989.4 TFLOP/s", "rate in T");
	tap_str(units_print_rate(NAN, "B/s", text), "nan B/s", "rate that is none");
	units_print_rate(1e9, "a unit with a name far too long to fit", text);
	tap_has(text, "1 Ga unit with", "rate: a long unit is cut");
}

static void check_quantity(double value, const char *unit, const char *want)
{
	char text[UNITS_TEXT_SIZE];

	tap_str(units_print(value, unit, 3, text), want, "%g %s", value, unit);
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

static void test_clock(void)
{
	int64_t before = clock_now_ns();
	int64_t after = clock_now_ns();
	tap_ok(before > 0 && after >= before, "the clock does not go back");
}

int main(void)
{
	test_durations();
	test_counts();
	test_print();
	test_quantities();
	test_clock();
	return tap_done();
}
