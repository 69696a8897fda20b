#include "reports/page/plot/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const base_units[] = {"s", "J", "W", "Hz", "B", "B/s", "FLOP/s", NULL};

static const struct prefix {
	double factor;
	const char *name;
} prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},   {1e3, "k"}, {1, ""},
		{1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}, {0, NULL}};

bool quantity_has_prefix(const char *unit)
{
	for (const char *const *u = base_units; *u; u++)
		if (strcmp(*u, unit) == 0)
			return true;
	return false;
}

/* A value that rounds up to the next prefix belongs to that. */
static struct quantity_scale scale(double value, const char *unit, double rounds_up)
{
	struct quantity_scale s = {.factor = 1};
	const struct prefix *p = prefixes;
	bool small = strcmp(unit, "s") == 0 || strcmp(unit, "J") == 0 || strcmp(unit, "W") == 0;
	bool large = strcmp(unit, "s") != 0;

	if (!quantity_has_prefix(unit) || !isfinite(value) || !(fabs(value) > 0)) {
		(void)snprintf(s.unit, sizeof s.unit, "%s", unit);
		return s;
	}
	while (p[1].name && fabs(value) < rounds_up * p->factor)
		p++;
	if ((p->factor < 1 && !small) || (p->factor > 1 && !large))
		p = &prefixes[5];
	s.factor = p->factor;
	(void)snprintf(s.unit, sizeof s.unit, "%s%s", p->name, unit);
	return s;
}

/* Below this, so many digits do not round to 1. */
static double rounds_up_from(int digits)
{
	return 1 - 0.5 * pow(10, -digits);
}

struct quantity_scale quantity_scale(double value, const char *unit)
{
	return scale(value, unit, rounds_up_from(4));
}

const char *quantity_print_number(double number, int decimals, char text[QUANTITY_TEXT_SIZE])
{
	char digits[QUANTITY_TEXT_SIZE - 4];

	(void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
	bool minus = number < 0 && strpbrk(digits, "123456789");
	(void)snprintf(text, QUANTITY_TEXT_SIZE, "%s%s", minus ? "−" : "", digits);
	return text;
}

/* Digits behind the point of a number that is to have so many in all. */
static int decimals_of(double number, int digits)
{
	const int before =
		fabs(number) > 0 ? (int)floor(log10(fabs(number) / rounds_up_from(digits))) + 1 : 1;

	return before < digits ? digits - before : 0;
}

const char *quantity_print_in(const struct quantity_scale *unit, double value, int digits,
			      char text[QUANTITY_TEXT_SIZE])
{
	const double number = value / unit->factor;
	char figure[QUANTITY_TEXT_SIZE];

	quantity_print_number(number, decimals_of(number, digits), figure);
	(void)snprintf(text, QUANTITY_TEXT_SIZE, "%.30s%s%s", figure, *unit->unit ? " " : "",
		       unit->unit);
	return text;
}

const char *quantity_print(double value, const char *unit, int digits,
			   char text[QUANTITY_TEXT_SIZE])
{
	/* Up to three digits stand before the point, however few are asked for. */
	struct quantity_scale s = scale(value, unit, rounds_up_from(digits > 3 ? digits : 3));
	double number = value / s.factor;
	char figure[QUANTITY_TEXT_SIZE];

	if (!isfinite(value)) {
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "–");
	} else if (fabs(number) >= 1e6 || (number != 0.0 && fabs(number) < 1e-3)) {
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "%.*g%s%s", digits, number,
			       *s.unit ? " " : "", s.unit);
	} else {
		quantity_print_number(number, decimals_of(number, digits), figure);
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "%.30s%s%s", figure, *s.unit ? " " : "",
			       s.unit);
	}
	return text;
}
