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

/* Each list from large to small, ended by a NULL name; the first that gives at least 1 is taken. */
static const struct unit durations[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"},
					{1e3, "us"},   {1, "ns"},     {0, NULL}};
static const struct unit sizes[] = {{0x1p60, "EiB"}, {0x1p50, "PiB"}, {0x1p40, "TiB"},
				    {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"},
				    {1, "B"},        {0, NULL}};
static const struct unit prefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},
				       {1e6, "M"},  {1e3, "k"},  {1, ""},     {0, NULL}};

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

static const struct unit *choose(const struct unit *u, double value)
{
	/* Chooses the unit by 0.99995, which four digits round to 1: 999.96 us is 1 ms, not 1000
	 * us. */
	while (u->factor > 1 && !(fabs(value) >= 0.99995 * u->factor))
		u++;
	return u;
}

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
	const struct unit *u = choose(durations, ns);
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
	const struct unit *u = choose(sizes, bytes);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s", bytes / u->factor, u->name);
	return text;
}

const char *units_print_rate(double per_second, const char *unit, char text[UNITS_TEXT_SIZE])
{
	const struct unit *u = choose(prefixes, per_second);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g %s%s", per_second / u->factor, u->name, unit);
	return text;
}

int64_t clock_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
