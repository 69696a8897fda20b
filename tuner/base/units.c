#include "tuner/base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/value.h"

struct unit {
	double factor;
	const char *name;
};

/* Each list from large to small, ended by a NULL name. */
static const struct unit durations[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"},
					{1e3, "us"},   {1, "ns"},     {0, NULL}};
static const struct unit sizes[] = {{0x1p60, "EiB"}, {0x1p50, "PiB"}, {0x1p40, "TiB"},
				    {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"},
				    {1, "B"},        {0, NULL}};
static const struct unit prefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"},  {1e9, "G"},
				       {1e6, "M"},  {1e3, "k"},  {1, ""},      {1e-3, "m"},
				       {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}, {0, NULL}};

static const char *const base_units[] = {"s", "J", "W", "Hz", "B", "B/s", "FLOP/s", NULL};

/* ---- reading ---- */

/* 0: none has that name of `n` bytes. */
static double duration_factor(const char *name, size_t n)
{
	if (n == 1 && *name == 'm')
		return 60e9;
	for (const struct unit *u = durations; u->name; u++)
		if (strlen(u->name) == n && memcmp(name, u->name, n) == 0)
			return u->factor;
	return 0;
}

bool units_parse_duration(const char *text, int64_t *ns)
{
	double exact = 0, factor = INFINITY;
	const char *at = text;

	do {
		struct value number;
		const size_t len = strspn(at, "0123456789.");
		if (!value_parse(at, len, &number))
			return false;
		const char *unit = at + len;
		unit += strspn(unit, " ");
		at = unit + strcspn(unit, " ");
		const double smaller = duration_factor(unit, (size_t)(at - unit));
		if (!(smaller > 0 && smaller < factor))
			return false;
		factor = smaller;
		exact += value_as_real(number) * factor;
	} while (*at == ' ' && at++);
	exact = round(exact);
	if (!(exact >= 1 && exact <= (double)UNITS_DURATION_MOST_NS))
		return false;
	*ns = (int64_t)exact;
	return true;
}

bool units_parse_count(const char *text, uint64_t *count)
{
	size_t len = strlen(text);
	if (len == 0 || strspn(text, "0123456789") != len)
		return false;
	errno = 0;
	uint64_t n = strtoull(text, NULL, 10);
	if (errno || n == 0)
		return false;
	*count = n;
	return true;
}

/* ---- the unit that fits ---- */

/* Below this part of a unit, a number of so many digits does not round to 1 of it. */
static double rounds_up_from(int digits)
{
	return 1 - 0.5 * pow(10, -digits);
}

/* Chooses the largest unit that leaves at least 1 of `value`, down to the factor `least`. A value
 * that rounds to 1 counts, so that four digits of 999.96 us are 1 ms and not 1000 us. */
static const struct unit *choose(const struct unit *u, double value, int digits, double least)
{
	while (u->factor > least && !(fabs(value) >= rounds_up_from(digits) * u->factor))
		u++;
	return u;
}

/* ---- plain ---- */

/* Prints a duration from a minute on: "1 min 13 s", "2 h 5 min". */
static void print_clock(double ns, char text[UNITS_TEXT_SIZE])
{
	bool hours = ns >= 3599.5e9;
	double small = round(ns / (hours ? 60e9 : 1e9)), rest = fmod(small, 60);
	const char *names[] = {hours ? "h" : "min", hours ? "min" : "s"};

	if (rest > 0)
		(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s %.0f %s", floor(small / 60),
			       names[0], rest, names[1]);
	else
		(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s", small / 60, names[0]);
}

const char *units_print_duration(double ns, char text[UNITS_TEXT_SIZE])
{
	if (ns >= 59.997e9) {
		print_clock(ns, text);
		return text;
	}
	const struct unit *u = choose(durations, ns, 4, 1);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s", ns / u->factor, u->name);
	return text;
}

const char *units_print_signed(double number, int decimals, char text[UNITS_TEXT_SIZE])
{
	(void)snprintf(text, UNITS_TEXT_SIZE, "%+.*f", decimals, number);
	if (!strpbrk(text, "123456789n"))
		*text = '+';
	return text;
}

const char *units_print_bytes(double bytes, char text[UNITS_TEXT_SIZE])
{
	const struct unit *u = choose(sizes, bytes, 4, 1);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s", bytes / u->factor, u->name);
	return text;
}

const char *units_print_rate(double per_second, const char *unit, char text[UNITS_TEXT_SIZE])
{
	const struct unit *u = choose(prefixes, per_second, 4, 1);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s%s", per_second / u->factor, u->name, unit);
	return text;
}

/* ---- typeset ---- */

bool units_has_prefix(const char *unit)
{
	for (const char *const *u = base_units; *u; u++)
		if (strcmp(*u, unit) == 0)
			return true;
	return false;
}

static struct units_scale find_scale(double value, const char *unit, int digits)
{
	/* Kiloseconds and millibytes are no units that people read, nor is exa. */
	const bool small =
		strcmp(unit, "s") == 0 || strcmp(unit, "J") == 0 || strcmp(unit, "W") == 0;
	const bool large = strcmp(unit, "s") != 0;
	struct units_scale s = {.factor = 1};
	const char *prefix = "";

	if (units_has_prefix(unit) && isfinite(value) && fabs(value) > 0) {
		const struct unit *u = choose(prefixes + 1, value, digits, 1e-12);

		if (u->factor < 1 ? small : large) {
			s.factor = u->factor;
			prefix = u->name;
		}
	}
	(void)snprintf(s.unit, sizeof s.unit, "%s%s", prefix, unit);
	return s;
}

struct units_scale units_scale(double value, const char *unit)
{
	return find_scale(value, unit, 4);
}

const char *units_print_number(double number, int decimals, char text[UNITS_TEXT_SIZE])
{
	char digits[UNITS_TEXT_SIZE - 4];

	(void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
	/* A number that rounds to 0 has no sign. */
	const bool minus = number < 0 && strpbrk(digits, "123456789");
	(void)snprintf(text, UNITS_TEXT_SIZE, "%s%s", minus ? "−" : "", digits);
	return text;
}

const char *units_print_in(const struct units_scale *unit, double value, int digits,
			   char text[UNITS_TEXT_SIZE])
{
	const double number = value / unit->factor;
	const int before =
		fabs(number) > 0 ? (int)floor(log10(fabs(number) / rounds_up_from(digits))) + 1 : 1;
	char figure[UNITS_TEXT_SIZE];

	units_print_number(number, before < digits ? digits - before : 0, figure);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.30s%s%s", figure, *unit->unit ? " " : "",
		       unit->unit);
	return text;
}

const char *units_print(double value, const char *unit, int digits, char text[UNITS_TEXT_SIZE])
{
	/* Up to three digits stand before the point, however few are asked for. */
	const struct units_scale s = find_scale(value, unit, digits > 3 ? digits : 3);
	const double number = value / s.factor;

	if (!isfinite(value))
		(void)snprintf(text, UNITS_TEXT_SIZE, "–");
	else if (fabs(number) >= 1e6 || (number != 0.0 && fabs(number) < 1e-3))
		(void)snprintf(text, UNITS_TEXT_SIZE, "%.*g%s%s", digits, number,
			       *s.unit ? " " : "", s.unit);
	else
		units_print_in(&s, value, digits, text);
	return text;
}

/* ---- the clock ---- */

int64_t clock_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_date_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
