#include "reports/page/parts/page_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reports/track/track_series.h"
#include "reports/track/track_write.h"

static const char unknown[] = "–";

const char *number_print(double value, int decimals, char text[NUMBER_TEXT_SIZE])
{
	if (fabs(value) < 1e12) /* more digits are noise, and burst a cell */
		return units_print_number(value, decimals, text);
	return units_print(value, "", 3, text);
}

struct units_scale number_scale_time(double ns)
{
	struct units_scale s = units_scale(ns * 1e-9, "s");

	s.factor *= 1e9;
	return s;
}

const char *number_print_time(double ns, char text[NUMBER_TEXT_SIZE])
{
	return units_print(ns * 1e-9, "s", 3, text);
}

static const char *print_signed(double value, const char *behind, char text[NUMBER_TEXT_SIZE])
{
	char number[NUMBER_TEXT_SIZE];

	/* From 100 % on a decimal says nothing; 99.95 would be printed as 100.0. */
	number_print(value, fabs(value) < 99.95 ? 1 : 0, number);
	snprintf(text, NUMBER_TEXT_SIZE, "%s%.40s%s", value > 0 && isfinite(value) ? "+" : "",
		 number, isfinite(value) ? behind : "");
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

const char *number_print_time_change(double pct, char text[NUMBER_TEXT_SIZE])
{
	struct track_ratio r;

	/* A change of a factor is read as one: "60.12× slower", not "+5912 %". */
	if (!track_ratio_find(&(struct track_change){pct, NAN, NAN, true}, &r))
		return number_print_percent(pct, text);
	snprintf(text, NUMBER_TEXT_SIZE, "%.2f× %s", r.ratio, r.word);
	return text;
}

const char *number_print_change(const struct track_series *s, char text[NUMBER_TEXT_SIZE])
{
	const struct track_change c = track_series_change(s);
	char change[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
	struct track_ratio r;

	if (!isfinite(s->change_pct))
		return number_print(NAN, 0, text);
	if (!isfinite(s->low_pct))
		return number_print_time_change(s->change_pct, text);
	if (track_ratio_find(&c, &r)) {
		snprintf(text, NUMBER_TEXT_SIZE, "%.2f× %s [%.2f, %.2f]", r.ratio, r.word, r.low,
			 r.high);
		return text;
	}
	snprintf(text, NUMBER_TEXT_SIZE, "%.20s [%.18s, %.18s]",
		 number_print_percent(s->change_pct, change), print_signed(s->low_pct, "", low),
		 print_signed(s->high_pct, "", high));
	return text;
}
