/* Every configuration in order of evaluation, and the best so far. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/reduce.h"
#include "tuner/base/units.h"

enum {
	POINTS = 2000, /* trials: nearly three for each pixel of the width */
	FAILED = 600,  /* marks of failed ones, a pixel apart */
	COLUMNS = 4000 /* of the stair, which turns at most once in each */
};

/* Fraction of the height, below all times, where failed configurations stand. */
static const double foot = 0.07;

static const struct plot_frame frame = {.left = 100, .right = 82, .top = 34, .bottom = 56};

struct sheet {
	const struct picture_tuning *t;
	struct plot_script *s;
	struct axis x, y;
	bool failures;
};

static bool is_failed(double v)
{
	return !axis_is_positive(v) && !isinf(v);
}

static double place_of(const struct sheet *h, size_t i)
{
	return axis_place(&h->x, (double)i + 1);
}

/* ---- blocks ---- */

static enum asc_status write_trials(const struct sheet *h, struct asc_err *e)
{
	size_t n = h->t->n;
	double *places = calloc(2 * n + 1, sizeof *places), best = INFINITY;
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		places[i] = place_of(h, i);
		places[n + i] = axis_is_positive(h->t->values[i]) ? h->t->values[i] : NAN;
	}
	enum asc_status status = reduce_columns(places, places + n, n, POINTS, &r, e);
	plot_script_begin(h->s, "TRIALS");
	for (size_t i = 0; status == ASC_OK && i < n; i++) {
		if (places[n + i] < best) {
			best = places[n + i];
			/* A new best is seen whatever its column, unless each trial is one. */
			if (r.kept < POINTS + POINTS / 10)
				reduction_keep(&r, i);
		}
		if (r.keep[i])
			plot_script_point(h->s, (double)i + 1, h->t->values[i]);
	}
	plot_script_end(h->s);
	h->s->shown += r.kept;
	reduction_fini(&r);
	free(places);
	return status;
}

/* Failed configurations, at most one in each column. */
static void write_failed(const struct sheet *h)
{
	const double y = axis_value(&h->y, foot / 2);
	size_t last = SIZE_MAX;

	plot_script_begin(h->s, "FAILED");
	for (size_t i = 0; i < h->t->n; i++) {
		size_t column = (size_t)(place_of(h, i) * FAILED);
		if (!is_failed(h->t->values[i]) || (h->t->n > FAILED && column == last))
			continue;
		last = column;
		plot_script_point(h->s, (double)i + 1, y);
	}
	h->s->shown += h->s->rows;
	plot_script_end(h->s);
}

/* The stair turns at most once in each of COLUMNS. */
static void write_best(const struct sheet *h)
{
	double best = INFINITY, x = NAN;

	plot_script_begin(h->s, "BEST");
	for (size_t i = 0; i < h->t->n; i++) {
		if (!axis_is_positive(h->t->values[i]) || h->t->values[i] >= best)
			continue;
		double next = (double)i + 1;
		if (floor(x / (double)h->t->n * COLUMNS) < floor(next / (double)h->t->n * COLUMNS))
			plot_script_point(h->s, x, best);
		best = h->t->values[i];
		x = next;
	}
	plot_script_point(h->s, x, best);
	plot_script_point(h->s, h->x.high, best);
	plot_script_end(h->s);
}

/* ---- titles ---- */

static bool place_trial(const void *data, size_t i, double *x, double *y)
{
	const struct sheet *h = data;
	const double value = h->t->values[i];

	*x = (double)i + 1;
	*y = axis_is_positive(value) ? value : axis_value(&h->y, foot / 2);
	return axis_is_positive(value) || is_failed(value);
}

static void tell_trial(const struct sheet *h, size_t i, struct buf *out)
{
	const double value = h->t->values[i];
	char text[UNITS_TEXT_SIZE];

	buf_print(out, "number %zu: %s", i + 1,
		  axis_is_positive(value) ? axis_print(&h->y, value, 3, text) : "failed");
	if (h->t->names) {
		buf_add_str(out, ", ");
		picture_text_clean(out, h->t->names[i], PICTURE_TITLE_LENGTH);
	}
}

static void tell_trials(const void *data, size_t from, size_t to, struct buf *out)
{
	const struct sheet *h = data;
	struct axis_range r = axis_range_none;
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
	size_t failed = 0;

	if (to - from == 1) {
		tell_trial(h, from, out);
		return;
	}
	for (size_t i = from; i < to; i++) {
		failed += is_failed(h->t->values[i]);
		if (axis_is_positive(h->t->values[i]))
			axis_range_add(&r, h->t->values[i]);
	}
	buf_print(out, "numbers %zu to %zu:", from + 1, to);
	if (r.low <= r.high)
		buf_print(out, " %s to %s", axis_print(&h->y, r.low, 3, low),
			  axis_print(&h->y, r.high, 3, high));
	if (failed)
		buf_print(out, "%s %zu failed", r.low <= r.high ? "," : "", failed);
}

/* ---- all ---- */

static enum asc_status write_tuning(const struct picture *p, struct plot_script *s,
				    struct asc_err *e)
{
	struct sheet h = {.t = p->data.tuning, .s = s};
	struct axis_range values = axis_range_none;
	char best[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < h.t->n; i++) {
		if (axis_is_positive(h.t->values[i]))
			axis_range_add(&values, h.t->values[i]);
		h.failures |= is_failed(h.t->values[i]);
		s->given += axis_is_positive(h.t->values[i]) || is_failed(h.t->values[i]);
	}
	if (!(values.low <= values.high))
		return asc_err_set(e, ASC_INPUT, "no configuration passed");
	/* A single trial has an axis, too. */
	axis_init(&h.x, (struct axis_range){1, (double)(h.t->n > 2 ? h.t->n : 2)}, 0.015, "");
	h.x.low = fmax(h.x.low, 0);
	axis_init_log(&h.y, values, 0.06, plot_script_unit(p));
	if (h.failures)
		h.y.low =
			axis_value(&h.y, -foot / (1 - foot)); /* so far down that `foot` is free */
	plot_script_frame(s, &frame);
	plot_script_axes(s, &h.x, &h.y);
	if (h.t->n < 10) /* gnuplot would put ticks at half a trial */
		plot_script_line(s, "set xtics 1");
	plot_script_quantity(s, p);
	plot_script_label(s, "x", "configuration, in order of evaluation");
	enum asc_status status = write_trials(&h, e);
	write_failed(&h);
	write_best(&h);
	plot_script_begin(s, "END"); /* the best time, beside the end of the stair */
	plot_script_x(s, h.x.high);
	plot_script_y(s, values.low);
	plot_script_name(s, axis_print(&h.y, values.low, 3, best), PICTURE_NAME_LENGTH);
	plot_script_row(s);
	plot_script_end(s);
	plot_marks_add_dots(
		s, &(struct plot_dots){
			   .data = &h, .n = h.t->n, .place = place_trial, .tell = tell_trials});
	return status;
}

const struct picture_ops tuning_ops = {write_tuning, piece_tuning};
