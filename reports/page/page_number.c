#include "reports/page/page_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reports/track/track_series.h"

static const char unknown[] = "–", minus[] = "−";

/* The first hyphen-minus, that of the number itself, becomes U+2212. */
static void put_minus(char text[NUMBER_TEXT_SIZE])
{
	size_t len = strlen(text), grown = sizeof minus - 2;

	if (text[0] != '-' || len + grown >= NUMBER_TEXT_SIZE)
		return;
	memmove(text + 1 + grown, text + 1, len);
	memcpy(text, minus, sizeof minus - 1);
}

const char *number_print(double value, int decimals, char text[NUMBER_TEXT_SIZE])
{
	if (!isfinite(value))
		snprintf(text, NUMBER_TEXT_SIZE, "%s", unknown);
	else if (fabs(value) < 1e12)
		snprintf(text, NUMBER_TEXT_SIZE, "%.*f", decimals, value);
	else
		snprintf(text, NUMBER_TEXT_SIZE, "%.3g", value);
	put_minus(text);
	return text;
}

/* From large to small; the last one takes what is left. */
static const struct number_unit units[] = {
	{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}, {NULL, 0}};

const struct number_unit *number_unit_find(double ns)
{
	const struct number_unit *u = units;

	/* What three digits round up to the next unit belongs to that. */
	while (u[1].name && !(fabs(ns) >= 0.9995 * u->ns))
		u++;
	return u;
}

/* Digits behind the point that make three in all. */
static int decimals(double value)
{
	double size = fabs(value);

	return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/* The number with what stands behind it. */
static const char *print_with(double value, int decimals_wanted, const char *behind,
			      char text[NUMBER_TEXT_SIZE])
{
	char number[NUMBER_TEXT_SIZE];

	snprintf(text, NUMBER_TEXT_SIZE, "%.40s%s", number_print(value, decimals_wanted, number),
		 isfinite(value) ? behind : "");
	return text;
}

const char *number_print_time(double ns, char text[NUMBER_TEXT_SIZE])
{
	const struct number_unit *u = number_unit_find(ns);
	char unit[8];

	snprintf(unit, sizeof unit, " %s", u->name);
	return print_with(ns / u->ns, decimals(ns / u->ns), unit, text);
}

static const char *print_signed(double value, const char *behind, char text[NUMBER_TEXT_SIZE])
{
	char number[NUMBER_TEXT_SIZE];

	print_with(value, fabs(value) < 99.95 ? 1 : 0, behind, number);
	snprintf(text, NUMBER_TEXT_SIZE, "%s%.50s", value > 0 && isfinite(value) ? "+" : "",
		 number);
	return text;
}

const char *number_print_percent(double pct, char text[NUMBER_TEXT_SIZE])
{
	return print_signed(pct, " %", text);
}

const char *number_print_moment(int64_t ms, char text[NUMBER_TEXT_SIZE])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm t;

	if (!gmtime_r(&seconds, &t) ||
	    strftime(text, NUMBER_TEXT_SIZE, "%Y-%m-%d %H:%M UTC", &t) == 0)
		snprintf(text, NUMBER_TEXT_SIZE, "%s", unknown);
	return text;
}

const char *number_print_day(int64_t ms, char text[NUMBER_TEXT_SIZE])
{
	number_print_moment(ms, text);
	text[strcspn(text, " ")] = '\0';
	return text;
}

const char *number_print_change(const struct track_series *s, char text[NUMBER_TEXT_SIZE])
{
	char change[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];

	if (!isfinite(s->change_pct))
		return number_print(NAN, 0, text);
	if (s->low_pct <= 0 && s->high_pct >= 0) {
		snprintf(text, NUMBER_TEXT_SIZE, "±%.1f %%", fmax(-s->low_pct, s->high_pct));
		return text;
	}
	snprintf(text, NUMBER_TEXT_SIZE, "%.20s [%.18s, %.18s]",
		 number_print_percent(s->change_pct, change), print_signed(s->low_pct, "", low),
		 print_signed(s->high_pct, "", high));
	return text;
}
