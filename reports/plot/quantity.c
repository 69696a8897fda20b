#include "reports/plot/quantity.h"

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

struct quantity_scale quantity_scale(double value, const char *unit)
{
	struct quantity_scale s = {.factor = 1};
	const struct prefix *p = prefixes;
	bool small = strcmp(unit, "s") == 0 || strcmp(unit, "J") == 0 || strcmp(unit, "W") == 0;
	bool large = strcmp(unit, "s") != 0;

	if (!quantity_has_prefix(unit) || !isfinite(value) || !(fabs(value) > 0)) {
		(void)snprintf(s.unit, sizeof s.unit, "%s", unit);
		return s;
	}
	/* 0.99995 is what four digits round to 1. */
	while (p[1].name && fabs(value) < 0.99995 * p->factor)
		p++;
	if ((p->factor < 1 && !small) || (p->factor > 1 && !large))
		p = &prefixes[5];
	s.factor = p->factor;
	(void)snprintf(s.unit, sizeof s.unit, "%s%s", p->name, unit);
	return s;
}

const char *quantity_print_number(double number, int decimals, char text[QUANTITY_TEXT_SIZE])
{
	char digits[QUANTITY_TEXT_SIZE - 4];

	(void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
	bool minus = number < 0 && strpbrk(digits, "123456789");
	(void)snprintf(text, QUANTITY_TEXT_SIZE, "%s%s", minus ? "−" : "", digits);
	return text;
}

const char *quantity_print(double value, const char *unit, int digits,
			   char text[QUANTITY_TEXT_SIZE])
{
	struct quantity_scale s = quantity_scale(value, unit);
	double number = value / s.factor;
	char figure[QUANTITY_TEXT_SIZE];

	if (!isfinite(value)) {
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "–");
	} else if (fabs(number) >= 1e6 || (number != 0.0 && fabs(number) < 1e-3)) {
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "%.*g%s%s", digits, number,
			       *s.unit ? " " : "", s.unit);
	} else {
		double rounds_up = 1 - 0.5 * pow(10, -digits);
		int before = number == 0.0 ? 1 : (int)floor(log10(fabs(number) / rounds_up)) + 1;
		quantity_print_number(number, before < digits ? digits - before : 0, figure);
		(void)snprintf(text, QUANTITY_TEXT_SIZE, "%.30s%s%s", figure, *s.unit ? " " : "",
			       s.unit);
	}
	return text;
}
