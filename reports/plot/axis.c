#include "reports/plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/plot/picture_text.h"
#include "reports/plot/quantity.h"

const struct axis_range axis_range_none = {INFINITY, -INFINITY};

void axis_range_add(struct axis_range *r, double value)
{
	if (!isfinite(value))
		return;
	r->low = fmin(r->low, value);
	r->high = fmax(r->high, value);
}

static void add_tick(struct axis *a, double at, const char *text)
{
	double slack = 1e-9 * (a->high - a->low);

	if (a->n == AXIS_TICKS || at < a->low - slack || at > a->high + slack)
		return;
	a->ticks[a->n].at = at;
	(void)snprintf(a->ticks[a->n].text, sizeof a->ticks[a->n].text, "%.39s", text);
	a->n++;
}

/* ---- equal steps ---- */

/* The least of 1, 2, 5 times a power of ten that is not below `rough`. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough)));

	for (int i = 0; i < 3; i++) {
		double step = power * (const double[]){1, 2, 5}[i];
		if (step >= rough * (1 - 1e-9))
			return step;
	}
	return 10 * power;
}

static void add_steps(struct axis *a, size_t ticks, const char *unit)
{
	double step = round_step((a->high - a->low) / (double)ticks);
	double most = fmax(fabs(a->low), fabs(a->high));
	struct quantity_scale s = quantity_scale(most, unit);
	int decimals = (int)-floor(log10(step / s.factor) + 1e-9);
	char number[QUANTITY_TEXT_SIZE], text[QUANTITY_TEXT_SIZE];

	double first = ceil(a->low / step - 1e-9);
	for (int i = 0; i < AXIS_TICKS && (first + i) * step <= a->high + 1e-9 * step; i++) {
		double at = (first + i) * step;
		quantity_print_number(at / s.factor, decimals > 0 ? decimals : 0, number);
		(void)snprintf(text, sizeof text, "%.30s%s%s", number, *s.unit ? " " : "", s.unit);
		add_tick(a, at, text);
	}
}

static struct axis_range widened(struct axis_range r)
{
	if (!(r.low <= r.high))
		return (struct axis_range){0, 1};
	double least = 1e-6 * fmax(fabs(r.low), fabs(r.high));
	if (r.high - r.low > least)
		return r;
	double half = r.low == 0.0 ? 1 : 0.05 * fabs(r.low);
	return (struct axis_range){r.low - half, r.high + half};
}

void axis_init(struct axis *a, struct axis_range r, double margin, size_t ticks, const char *unit)
{
	r = widened(r);
	double more = margin * (r.high - r.low);
	*a = (struct axis){.low = r.low - more, .high = r.high + more};
	add_steps(a, ticks, unit);
}

/* ---- logarithmic ---- */

static const struct mantissas {
	double decades; /* up to so many for six ticks */
	int n;
	double list[5];
} mantissas[] = {
	{1.2, 5, {1, 2, 3, 5, 7}}, {2.4, 3, {1, 2, 5}}, {4, 2, {1, 3}}, {INFINITY, 1, {1}}};

static void add_powers(struct axis *a, double decades, size_t ticks, const char *unit)
{
	const struct mantissas *m = mantissas;
	char text[QUANTITY_TEXT_SIZE];
	int every = (int)ceil(decades / (double)ticks);

	while (m->decades < decades * 6 / (double)ticks)
		m++;
	for (int power = (int)floor(log10(a->low)); power <= (int)ceil(log10(a->high)); power++)
		for (int i = 0; i < m->n && (m->n > 1 || power % every == 0); i++) {
			double at = m->list[i] * pow(10, power);
			add_tick(a, at, quantity_print(at, unit, 1, text));
		}
}

void axis_init_log(struct axis *a, struct axis_range r, double margin, size_t ticks,
		   const char *unit)
{
	r = widened(r);
	double decades = log10(r.high / r.low), more = pow(10, margin * decades);

	*a = (struct axis){.low = r.low / more, .high = r.high * more, .log = true};
	decades = log10(a->high / a->low);
	if (decades < 0.6)
		add_steps(a, ticks, unit);
	else
		add_powers(a, decades, ticks, unit);
}

/* ---- places ---- */

double axis_place(const struct axis *a, double value)
{
	if (a->log)
		return log(value / a->low) / log(a->high / a->low);
	return (value - a->low) / (a->high - a->low);
}

double axis_value(const struct axis *a, double place)
{
	if (a->log)
		return a->low * pow(a->high / a->low, place);
	return a->low + place * (a->high - a->low);
}

size_t axis_widest(const struct axis *a)
{
	size_t most = 0;

	for (size_t i = 0; i < a->n; i++) {
		size_t n = picture_text_length(a->ticks[i].text);
		most = n > most ? n : most;
	}
	return most;
}
