/* Values of successive nights. The axis of values shows what belongs to the segments; what lies far
 * out is marked at the edge. Names of events stand in rows above the values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/plot/history_sheet.h"
#include "reports/plot/label_rows.h"
#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/quantity.h"

enum { EVENT_LENGTH = 28, OUTLIER_SD = 6 };

/* ---- axes ---- */

static struct axis_range times(const struct picture_history *h)
{
	struct axis_range r = axis_range_none;

	for (size_t i = 0; i < h->n_nights; i++)
		axis_range_add(&r, h->nights[i].at);
	return r;
}

static struct axis_range values(const struct picture_history *h)
{
	struct axis_range all = axis_range_none, near = axis_range_none, r;

	for (size_t i = 0; i < h->n_nights; i++)
		axis_range_add(&all, h->nights[i].value);
	for (size_t i = 0; i < h->n_segments; i++) {
		const struct picture_segment *g = &h->segments[i];
		double around = OUTLIER_SD * fmax(g->sd, 0.005 * fabs(g->level));
		axis_range_add(&near, g->level - around);
		axis_range_add(&near, g->level + around);
	}
	if (!(near.low <= near.high))
		return all;
	r = (struct axis_range){fmax(all.low, near.low), fmin(all.high, near.high)};
	for (size_t i = 0; i < h->n_segments; i++) {
		axis_range_add(&r, h->segments[i].level - h->segments[i].sd);
		axis_range_add(&r, h->segments[i].level + h->segments[i].sd);
	}
	return r;
}

static void init_axes(struct history_sheet *t, const struct picture *p)
{
	struct axis_range y = values(t->h);
	size_t ticks = p->width && p->width < 600 ? 4 : 7;

	if (t->h->dated)
		axis_init_dates(&t->x, times(t->h), 0.015, ticks);
	else
		axis_init(&t->x, times(t->h), 0.015, ticks, "");
	axis_init(&t->y, y, 0.08, 6, plot_script_unit(p));
	t->low = y.low <= y.high ? y.low : t->y.low;
	t->high = y.low <= y.high ? y.high : t->y.high;
	t->frame = (struct plot_frame){.width = picture_width(p),
				       .height = picture_height(p, PICTURE_HEIGHT),
				       .right = 26,
				       .bottom = t->h->dated ? 28 : 46};
	t->frame.left = plot_frame_left(&t->y, true);
	t->frame.top = plot_frame_top(&t->frame, 6, 11);
}

static double x_pixel(const struct history_sheet *t, double at)
{
	return axis_place(&t->x, at) * plot_frame_width(&t->frame);
}

static bool is_shown(const struct history_sheet *t, double at)
{
	return at >= t->x.low && at <= t->x.high;
}

/* ---- events ---- */

struct event_place {
	size_t row; /* LABEL_ROWS: without its name */
	bool left;  /* of its rule */
};

static struct event_place place_event(const struct history_sheet *t, const struct picture_event *v,
				      struct label_rows *rows)
{
	struct buf name = {0};
	picture_text_clean(&name, v->text, EVENT_LENGTH);
	double at = x_pixel(t, v->at), width = picture_text_width(buf_str(&name));
	bool left = at + width + 8 > plot_frame_width(&t->frame);
	double start = left ? at - width - 8 : at;

	buf_fini(&name);
	return (struct event_place){label_rows_place(rows, start, start + width + 8), left};
}

/* Room for the rows above the values: the axis grows, its ticks stay. */
static void make_room(struct history_sheet *t, size_t rows)
{
	double height = plot_frame_height(&t->frame);
	double room = rows ? ((double)rows + 0.5) * LABEL_ROW_HEIGHT : 0;

	t->top = 1 - room / height;
	t->y.high = axis_value(&t->y, height / (height - room));
}

static double row_value(const struct history_sheet *t, size_t row)
{
	double below = ((double)row + 0.5) * LABEL_ROW_HEIGHT;

	return axis_value(&t->y, 1 - below / plot_frame_height(&t->frame));
}

static void write_names(const struct history_sheet *t, const struct event_place *places, bool left)
{
	plot_script_begin(t->s, left ? "NAMES_LEFT" : "NAMES_RIGHT");
	for (size_t i = 0; i < t->h->n_events; i++) {
		const struct picture_event *v = &t->h->events[i];
		if (places[i].left != left || places[i].row == LABEL_ROWS || !is_shown(t, v->at))
			continue;
		plot_script_number(t->s, v->at);
		plot_script_number(t->s, row_value(t, places[i].row));
		plot_script_name(t->s, v->text, EVENT_LENGTH);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

static void write_rules(const struct history_sheet *t)
{
	plot_script_begin(t->s, "EVENTS");
	for (size_t i = 0; i < t->h->n_events; i++)
		if (is_shown(t, t->h->events[i].at)) {
			plot_script_number(t->s, t->h->events[i].at);
			plot_script_number(t->s, t->y.high);
			plot_script_row(t->s);
		}
	plot_script_end(t->s);
}

/* ---- segments and changes ---- */

static void write_segments(const struct history_sheet *t)
{
	plot_script_begin(t->s, "SEGMENTS");
	for (size_t i = 0; i < t->h->n_segments; i++) {
		const struct picture_segment *g = &t->h->segments[i];
		plot_script_number(t->s, fmax(g->first, t->x.low));
		plot_script_number(t->s, fmin(g->last, t->x.high));
		plot_script_number(t->s, g->level);
		plot_script_number(t->s, g->sd);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

static bool is_change(const struct history_sheet *t, const struct picture_change *c, bool slower)
{
	return (c->after > c->before) == slower && is_shown(t, c->at);
}

static void write_changes(const struct history_sheet *t, bool slower)
{
	plot_script_begin(t->s, slower ? "SLOWER" : "FASTER");
	for (size_t i = 0; i < t->h->n_changes; i++)
		if (is_change(t, &t->h->changes[i], slower)) {
			plot_script_number(t->s, t->h->changes[i].at);
			plot_script_number(t->s, t->h->changes[i].after);
			plot_script_row(t->s);
		}
	plot_script_end_points(t->s, true);
}

static void print_size(const struct picture_change *c, char *text, size_t size)
{
	char number[QUANTITY_TEXT_SIZE];
	double pct = 100 * (c->after / c->before - 1);

	if (isfinite(pct))
		(void)snprintf(text, size, "%s%.30s %%", pct > 0 ? "+" : "",
			       quantity_print_number(pct, fabs(pct) < 100 ? 1 : 0, number));
	else
		(void)snprintf(text, size, "%s", c->after > c->before ? "slower" : "faster");
}

/* Above the mark where it became slower, below it where it became faster, a row further where
 * another one is. */
static void write_sizes(const struct history_sheet *t)
{
	struct label_rows rows[2] = {0};
	char text[QUANTITY_TEXT_SIZE];
	double height = plot_frame_height(&t->frame);

	plot_script_begin(t->s, "SIZES");
	for (size_t i = 0; i < t->h->n_changes; i++) {
		const struct picture_change *c = &t->h->changes[i];
		bool slower = c->after > c->before;
		print_size(c, text, sizeof text);
		double at = x_pixel(t, c->at), half = picture_text_width(text) / 2;
		size_t row = label_rows_place(&rows[slower], at - half, at + half);
		if (!is_shown(t, c->at) || row == LABEL_ROWS)
			continue;
		double away = (15 + (double)row * LABEL_ROW_HEIGHT) / height;
		double place = axis_place(&t->y, c->after) + (slower ? away : -away);
		at = fmin(fmax(at, half), plot_frame_width(&t->frame) - half);
		plot_script_number(t->s, axis_value(&t->x, at / plot_frame_width(&t->frame)));
		plot_script_number(t->s, axis_value(&t->y, fmin(fmax(place, 0.02), t->top - 0.02)));
		plot_script_name(t->s, text, PICTURE_NAME_LENGTH);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

static enum asc_status write_history(const struct picture *p, struct plot_script *s,
				     struct asc_err *e)
{
	struct history_sheet t = {.h = p->data.history, .s = s};
	struct label_rows rows = {0};
	struct event_place *places = calloc(t.h->n_events + 1, sizeof *places);

	if (!places)
		return asc_err_nomem(e);
	init_axes(&t, p);
	for (size_t i = 0; i < t.h->n_events; i++)
		if (is_shown(&t, t.h->events[i].at))
			places[i] = place_event(&t, &t.h->events[i], &rows);
	make_room(&t, rows.used);
	plot_script_frame(s, &t.frame, &t.x, &t.y);
	plot_script_quantity(s, p);
	if (!t.h->dated)
		plot_script_label_x(s, "number of the run");
	plot_script_line(s, "Y_LOW = %.17g; BELOW_TITLE = 'off scale'", t.y.low);
	enum asc_status status = history_write_nights(&t, e);
	write_segments(&t);
	write_changes(&t, true);
	write_changes(&t, false);
	write_sizes(&t);
	write_rules(&t);
	write_names(&t, places, false);
	write_names(&t, places, true);
	free(places);
	if (status == ASC_OK && s->given == 0)
		return asc_err_set(e, ASC_INPUT, "no run has a value");
	return status;
}

const struct picture_ops history_ops = {write_history, piece_history};
