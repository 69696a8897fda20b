#include "reports/page/plot/axis.h"

#include <math.h>

const struct axis_range axis_range_none = {INFINITY, -INFINITY};

/* Quotient of values from which a linear axis would press the lower ones together. */
static const double log_from = 4;

/* Quotient of values up to which one unit serves all ticks: beyond, "2000000 µs" is worse than "2
 * s". */
static const double one_unit = 1e5;

/* Seconds of the years 1 to 9999, which gnuplot's dates are for. */
static const double least_date = -62135596800.0, most_date = 253402300799.0;

void axis_range_add(struct axis_range *r, double value)
{
	if (!isfinite(value))
		return;
	r->low = fmin(r->low, value);
	r->high = fmax(r->high, value);
}

bool axis_is_positive(double value)
{
	return isfinite(value) && value > 0;
}

static struct axis_range widened(struct axis_range r)
{
	if (!(r.low <= r.high))
		return (struct axis_range){0, 1};
	/* Below it the digits of a tick would not tell two ticks apart. */
	double least = 1e-6 * fmax(fabs(r.low), fabs(r.high));
	if (r.high - r.low > least)
		return r;
	double half = r.low == 0.0 ? 1 : 0.05 * fabs(r.low);
	return (struct axis_range){r.low - half, r.high + half};
}

void axis_init(struct axis *a, struct axis_range r, double margin, const char *unit)
{
	r = widened(r);
	double more = margin * (r.high - r.low);
	*a = (struct axis){.low = r.low - more, .high = r.high + more};
	a->unit = units_scale(fmax(fabs(r.low), fabs(r.high)), unit);
}

void axis_init_log(struct axis *a, struct axis_range r, double margin, const char *unit)
{
	if (!(r.high >= log_from * r.low)) {
		axis_init(a, r, margin, unit);
		return;
	}
	double more = pow(r.high / r.low, margin);
	*a = (struct axis){.low = r.low / more, .high = r.high * more, .scale = AXIS_LOG};
	a->prefixes = units_has_prefix(unit) && r.high > one_unit * r.low;
	a->unit = units_scale(a->prefixes ? 0 : sqrt(r.low * r.high), unit);
}

void axis_init_dates(struct axis *a, struct axis_range r, double margin)
{
	const double day = 86400;

	/* Runs of one hour are one night: a day on both sides gives ticks that are dates. */
	if (r.low <= r.high && r.high - r.low < 7200)
		r = (struct axis_range){r.low - day, r.high + day};
	axis_init(a, r, margin, "");
	if (a->low > least_date && a->high < most_date)
		a->scale = AXIS_DATES;
}

double axis_place(const struct axis *a, double value)
{
	if (a->scale == AXIS_LOG)
		return log(value / a->low) / log(a->high / a->low);
	return (value - a->low) / (a->high - a->low);
}

double axis_value(const struct axis *a, double place)
{
	if (a->scale == AXIS_LOG)
		return a->low * pow(a->high / a->low, place);
	return a->low + place * (a->high - a->low);
}

const char *axis_print(const struct axis *a, double value, int digits, char text[UNITS_TEXT_SIZE])
{
	return a->prefixes ? units_print(value, a->unit.unit, digits, text)
			   : units_print_in(&a->unit, value, digits, text);
}
