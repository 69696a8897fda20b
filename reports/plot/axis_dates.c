#include <math.h>
#include <stdio.h>
#include <time.h>

#include "reports/plot/axis.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
				     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

enum { DAY = 86400 };

static const struct date_step {
	double span; /* seconds between two ticks, about */
	int seconds; /* exactly, or */
	int months;
} steps[] = {
	{3600, 3600, 0},       {3 * 3600, 3 * 3600, 0}, {6 * 3600, 6 * 3600, 0}, {DAY, DAY, 0},
	{2 * DAY, 2 * DAY, 0}, {7 * DAY, 7 * DAY, 0},   {14 * DAY, 14 * DAY, 0}, {30.4 * DAY, 0, 1},
	{61 * DAY, 0, 2},      {91.3 * DAY, 0, 3},      {183 * DAY, 0, 6},       {365 * DAY, 0, 12},
	{731 * DAY, 0, 24},    {1826 * DAY, 0, 60},     {INFINITY, 0, 240},
};

static void print_date(const struct date_step *s, double at, char *text, size_t size)
{
	time_t seconds = (time_t)at;
	struct tm t;

	if (!gmtime_r(&seconds, &t)) {
		*text = '\0';
		return;
	}
	if (s->months)
		(void)snprintf(text, size, "%s %d", months[t.tm_mon], t.tm_year + 1900);
	else if (s->seconds < DAY)
		(void)snprintf(text, size, "%d %s %02d:%02d", t.tm_mday, months[t.tm_mon],
			       t.tm_hour, t.tm_min);
	else
		(void)snprintf(text, size, "%d %s %d", t.tm_mday, months[t.tm_mon],
			       t.tm_year + 1900);
}

/* The first of the month that is a multiple of `every` months since the year 0. */
static double month_before(double at, int every)
{
	time_t seconds = (time_t)at;
	struct tm t;

	if (!gmtime_r(&seconds, &t))
		return NAN;
	int month = (t.tm_year + 1900) * 12 + t.tm_mon;
	month -= month % every;
	t = (struct tm){.tm_year = month / 12 - 1900, .tm_mon = month % 12, .tm_mday = 1};
	return (double)timegm(&t);
}

static double next_month(double at, int every)
{
	time_t seconds = (time_t)at;
	struct tm t;

	if (!gmtime_r(&seconds, &t))
		return NAN;
	t.tm_mon += every;
	return (double)timegm(&t);
}

static double tick_first(const struct date_step *s, double low)
{
	return s->months ? month_before(low, s->months) : ceil(low / s->seconds) * s->seconds;
}

static double tick_next(const struct date_step *s, double at)
{
	return s->months ? next_month(at, s->months) : at + s->seconds;
}

void axis_init_dates(struct axis *a, struct axis_range r, double margin, size_t ticks)
{
	const struct date_step *s = steps;

	if (!(r.low <= r.high))
		r = (struct axis_range){0, DAY};
	if (r.high - r.low < 7200)
		r = (struct axis_range){r.low - DAY, r.high + DAY};
	double span = r.high - r.low;
	*a = (struct axis){.low = r.low - margin * span, .high = r.high + margin * span};
	while (s->span < span / (double)ticks)
		s++;
	double at = tick_first(s, a->low);
	while (at <= a->high && a->n < AXIS_TICKS) {
		if (at >= a->low) {
			a->ticks[a->n].at = at;
			print_date(s, at, a->ticks[a->n].text, sizeof a->ticks[a->n].text);
			a->n++;
		}
		at = tick_next(s, at);
	}
}
