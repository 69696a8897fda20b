/* Values of successive nights.
 *
 * The axis of values is laid around the levels of the segments, and the newest value; a value far
 * outside is marked at the edge: one night of ten times the time must not press all others into a
 * line. Sizes of changes and names of events stand in rows above the values, each beside its rule,
 * so that no text lies on points; the axis grows by these rows before anything is written. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/reduce.h"
#include "tuner/base/units.h"

enum {
	EVENT_LENGTH = 28, /* characters: a quarter of the width */
	OUTLIER_SD = 6,    /* standard deviations of single points that belong to a level */
	POINTS = 2400,     /* three for each pixel of the width */
	EDGE_PIXELS = 7,   /* from the edge to a mark of a value beyond it */
	LABEL_ROWS = 4,    /* under a third of the height; what finds no row has its rule alone */
	ROW_HEIGHT = 16,   /* pixels of a text of 13 */
	GAP = 6,           /* least pixels between two texts of one row */
	CHANGE_GAP = 9,    /* half of a mark, and a little */
	EVENT_GAP = 4,
	CHANGE_TEXT_SIZE = 40
};

static const struct plot_frame frame = {.left = 100, .right = 26, .top = 34, .bottom = 56};

struct sheet {
	const struct picture_history *h;
	struct plot_script *s;
	struct axis x, y;
	double low, high;     /* values beyond are off the scale */
	struct label *labels; /* of changes, then of events */
};

/* ---- axes ---- */

static struct axis_range times(const struct picture_history *h)
{
	struct axis_range r = axis_range_none;

	for (size_t i = 0; i < h->n_points; i++)
		axis_range_add(&r, h->points[i].at);
	return r;
}

static struct axis_range values(const struct picture_history *h)
{
	struct axis_range all = axis_range_none, near = axis_range_none, r;

	for (size_t i = 0; i < h->n_points; i++)
		axis_range_add(&all, h->points[i].value);
	for (size_t i = 0; i < h->n_segments; i++) {
		const struct picture_segment *g = &h->segments[i];
		/* At least 3 % of the level: noise of nearly 0 would leave no room around it. */
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
	/* The newest value is what the reader came for: it is shown wherever it is. */
	for (size_t i = h->n_points; i-- > 0;)
		if (isfinite(h->points[i].value)) {
			axis_range_add(&r, h->points[i].value);
			break;
		}
	return r;
}

static void init_axes(struct sheet *t, const struct picture *p)
{
	struct axis_range y = values(t->h);

	if (t->h->dated)
		axis_init_dates(&t->x, times(t->h), 0.015);
	else
		axis_init(&t->x, times(t->h), 0.015, "");
	axis_init(&t->y, y, 0.08, plot_script_unit(p));
	t->low = y.low <= y.high ? y.low : t->y.low;
	t->high = y.low <= y.high ? y.high : t->y.high;
}

static double x_pixel(const struct sheet *t, double at)
{
	return axis_place(&t->x, at) * plot_frame_width(t->s);
}

static bool is_shown(const struct sheet *t, double at)
{
	return at >= t->x.low && at <= t->x.high;
}

/* ---- labels, in rows above the values: first those of changes, then those of events ---- */

struct label {          /* beside the rule of a change or of an event */
	double at, gap; /* gap: pixels between rule and text */
	const char *text;
	char size[CHANGE_TEXT_SIZE]; /* text of a change */
	size_t row;                  /* LABEL_ROWS: without its text */
	bool left;                   /* the text stands left of the rule */
};

struct label_rows {
	double ends[LABEL_ROWS]; /* pixels where the last label of each row ends */
	size_t first, used;      /* rows: those before `first` are others' */
};

/* Row of a label from `start` to `end` pixels, or LABEL_ROWS when none is left; labels come from
 * left to right. */
static size_t find_row(struct label_rows *r, double start, double end)
{
	for (size_t row = r->first; row < LABEL_ROWS; row++) {
		if (row < r->used && start < r->ends[row] + GAP)
			continue;
		r->ends[row] = end;
		if (row >= r->used)
			r->used = row + 1;
		return row;
	}
	return LABEL_ROWS;
}

static void place_label(const struct sheet *t, struct label *l, struct label_rows *rows)
{
	struct buf text = {0};
	double at = x_pixel(t, l->at);

	picture_text_clean(&text, l->text, EVENT_LENGTH);
	double width = picture_text_width(buf_str(&text)) + 2 * l->gap;

	/* To the right of its rule, unless the text would leave the picture there. */
	l->left = at + width > plot_frame_width(t->s);
	double start = l->left ? at - width : at - l->gap;

	l->row = is_shown(t, l->at) ? find_row(rows, start, start + width + l->gap) : LABEL_ROWS;
	buf_fini(&text);
}

static void print_size(const struct picture_change *c, char text[CHANGE_TEXT_SIZE])
{
	char number[UNITS_TEXT_SIZE];
	double pct = 100 * (c->after / c->before - 1);

	if (isfinite(pct))
		(void)snprintf(text, CHANGE_TEXT_SIZE, "%s%.30s %%", pct > 0 ? "+" : "",
			       units_print_number(pct, fabs(pct) < 100 ? 1 : 0, number));
	else
		(void)snprintf(text, CHANGE_TEXT_SIZE, "%s",
			       c->after > c->before ? "slower" : "faster");
}

/* Places all labels; the axis of values grows by their rows. */
static void place_labels(struct sheet *t)
{
	struct label_rows rows = {.used = 0};
	struct label *l = t->labels;

	for (size_t i = 0; i < t->h->n_changes; i++, l++) {
		print_size(&t->h->changes[i], l->size);
		l->at = t->h->changes[i].at;
		l->gap = CHANGE_GAP;
		l->text = l->size;
		place_label(t, l, &rows);
	}
	rows.first = rows.used; /* events stand below all changes, which matter more */
	for (size_t i = 0; i < t->h->n_events; i++, l++) {
		l->at = t->h->events[i].at;
		l->gap = EVENT_GAP;
		l->text = t->h->events[i].text;
		place_label(t, l, &rows);
	}
	double height = plot_frame_height(t->s);
	double room = rows.used ? ((double)rows.used + 0.5) * ROW_HEIGHT : 0;

	/* So far up that the rows lie above the old upper end. */
	t->y.high = axis_value(&t->y, height / (height - room));
}

/* Height of a label on the axis; without a row, the upper end of its rule. */
static double label_value(const struct sheet *t, const struct label *l)
{
	double below = ((double)l->row + 0.5) * ROW_HEIGHT;

	return l->row == LABEL_ROWS ? t->y.high
				    : axis_value(&t->y, 1 - below / plot_frame_height(t->s));
}

static void write_texts(const struct sheet *t, bool left)
{
	plot_script_begin(t->s, left ? "NAMES_LEFT" : "NAMES_RIGHT");
	for (size_t i = 0; i < t->h->n_changes + t->h->n_events; i++) {
		const struct label *l = &t->labels[i];
		if (l->left != left || l->row == LABEL_ROWS)
			continue;
		double pixel = x_pixel(t, l->at) + (left ? -l->gap : l->gap);
		plot_script_x(t->s, axis_value(&t->x, pixel / plot_frame_width(t->s)));
		plot_script_y(t->s, label_value(t, l));
		plot_script_name(t->s, l->text, EVENT_LENGTH);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

static void write_events(const struct sheet *t)
{
	plot_script_begin(t->s, "EVENTS");
	for (size_t i = 0; i < t->h->n_events; i++)
		if (is_shown(t, t->h->events[i].at))
			plot_script_point(t->s, t->h->events[i].at, t->y.high);
	plot_script_end(t->s);
}

/* ---- segments and changes ---- */

static void write_segments(const struct sheet *t)
{
	plot_script_begin(t->s, "SEGMENTS");
	for (size_t i = 0; i < t->h->n_segments; i++) {
		const struct picture_segment *g = &t->h->segments[i];
		plot_script_x(t->s, fmax(g->first, t->x.low));
		plot_script_x(t->s, fmin(g->last, t->x.high));
		plot_script_y(t->s, g->level);
		plot_script_y(t->s, g->sd);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

/* Writes changes with the upper ends of their rules, where their marks stand. */
static void write_changes(const struct sheet *t, bool slower)
{
	plot_script_begin(t->s, slower ? "SLOWER" : "FASTER");
	for (size_t i = 0; i < t->h->n_changes; i++) {
		const struct picture_change *c = &t->h->changes[i];

		if ((c->after > c->before) == slower && is_shown(t, c->at))
			plot_script_point(t->s, c->at, label_value(t, &t->labels[i]));
	}
	plot_script_end(t->s);
}

/* ---- nights ---- */

enum night_kind { PLAIN, LEFT_OUT, ABOVE, BELOW };

static enum night_kind kind_of(const struct sheet *t, const struct picture_point *n)
{
	if (n->value > t->high)
		return ABOVE;
	if (n->value < t->low)
		return BELOW;
	return n->left_out ? LEFT_OUT : PLAIN;
}

/* Nights off the scale stand at its edge. */
static void write_block(const struct sheet *t, enum night_kind kind, const bool *keep)
{
	static const char *const names[] = {"NIGHTS", "LEFT_OUT", "ABOVE", "BELOW"};
	double edge = EDGE_PIXELS / plot_frame_height(t->s);
	double top = axis_value(&t->y, axis_place(&t->y, t->high) + edge);
	double bottom = axis_value(&t->y, edge);

	plot_script_begin(t->s, names[kind]);
	for (size_t i = 0; i < t->h->n_points; i++) {
		const struct picture_point *n = &t->h->points[i];
		if (keep[i] && kind_of(t, n) == kind)
			plot_script_point(t->s, n->at,
					  kind == ABOVE   ? top
					  : kind == BELOW ? bottom
							  : n->value);
	}
	plot_script_end(t->s);
}

/* Writes at most POINTS of the nights; one entry of the key is enough for both edges. */
static enum asc_status write_points_table(const struct sheet *t, struct asc_err *e)
{
	size_t n = t->h->n_points;
	double *places = calloc(2 * n + 1, sizeof *places);
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		places[i] = axis_place(&t->x, t->h->points[i].at);
		places[n + i] = t->h->points[i].value;
		t->s->given += isfinite(places[i]) && isfinite(places[n + i]);
	}
	enum asc_status status = reduce_columns(places, places + n, n, POINTS, &r, e);
	for (int kind = PLAIN; kind <= BELOW && status == ASC_OK; kind++) {
		write_block(t, (enum night_kind)kind, r.keep);
		if (kind == ABOVE)
			plot_script_line(t->s, "BELOW_TITLE = '%s'", t->s->rows ? "" : "off scale");
	}
	t->s->shown = r.kept;
	/* About one dot a pixel: smaller ones, or the line between them is lost. */
	plot_script_line(t->s, "DOT_WIDTH = %.2f", r.kept > 700 ? 2.3 : 2.9);
	reduction_fini(&r);
	free(places);
	return status;
}

/* ---- titles ---- */

/* Places an off-scale night at the edge where its mark stands. */
static bool place_night(const void *data, size_t i, double *x, double *y)
{
	const struct sheet *t = data;
	const struct picture_point *n = &t->h->points[i];

	*x = n->at;
	*y = fmin(fmax(n->value, t->low), t->high);
	return isfinite(n->value);
}

static void tell_at(const struct sheet *t, double at, struct buf *out)
{
	const time_t seconds = (time_t)at;
	char day[40];
	struct tm when;

	if (t->h->dated && gmtime_r(&seconds, &when) &&
	    strftime(day, sizeof day, "%Y-%m-%d", &when))
		buf_add_str(out, day);
	else
		buf_print(out, "run %.0f", at);
}

static void tell_value(const struct sheet *t, double value, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	buf_add_str(out, axis_print(&t->y, value, 3, text));
}

static void tell_nights(const void *data, size_t from, size_t to, struct buf *out)
{
	const struct sheet *t = data;
	struct axis_range r = axis_range_none;

	for (size_t i = from; i < to; i++)
		axis_range_add(&r, t->h->points[i].value);
	tell_at(t, t->h->points[from].at, out);
	if (to - from > 1) {
		buf_add_str(out, " to ");
		tell_at(t, t->h->points[to - 1].at, out);
	}
	buf_add_str(out, ": ");
	tell_value(t, r.low, out);
	if (r.high > r.low) {
		buf_add_str(out, " to ");
		tell_value(t, r.high, out);
	}
	if (to - from == 1 && t->h->points[from].left_out)
		buf_add_str(out, ", noisy");
}

/* Titles of nights, and above them those of changes. */
static void write_titles(const struct sheet *t)
{
	plot_marks_add_dots(t->s, &(struct plot_dots){.data = t,
						      .n = t->h->n_points,
						      .place = place_night,
						      .tell = tell_nights});
	for (size_t i = 0; i < t->h->n_changes; i++) {
		const struct picture_change *c = &t->h->changes[i];
		struct buf text = {0};

		if (!is_shown(t, c->at))
			continue;
		buf_print(&text, "%s since ", t->labels[i].size);
		tell_at(t, c->at, &text);
		buf_add_str(&text, ": ");
		tell_value(t, c->before, &text);
		buf_add_str(&text, " → ");
		tell_value(t, c->after, &text);
		plot_marks_add(t->s, c->at, label_value(t, &t->labels[i]), buf_str(&text));
		t->s->marks.failed |= text.failed;
		buf_fini(&text);
	}
}

static enum asc_status write_history(const struct picture *p, struct plot_script *s,
				     struct asc_err *e)
{
	struct sheet t = {.h = p->data.history, .s = s};

	t.labels = calloc(t.h->n_changes + t.h->n_events + 1, sizeof *t.labels);
	if (!t.labels)
		return asc_err_nomem(e);
	plot_script_frame(s, &frame);
	init_axes(&t, p);
	place_labels(&t);
	plot_script_axes(s, &t.x, &t.y);
	plot_script_quantity(s, p);
	if (!t.h->dated)
		plot_script_label(s, "x", "number of the run");
	plot_script_line(s, "Y_LOW = %.17g", t.y.low / t.y.unit.factor);
	enum asc_status status = write_points_table(&t, e);
	write_segments(&t);
	write_changes(&t, true);
	write_changes(&t, false);
	write_events(&t);
	write_texts(&t, false);
	write_texts(&t, true);
	write_titles(&t);
	free(t.labels);
	if (status == ASC_OK && s->given == 0)
		return asc_err_set(e, ASC_INPUT, "no run has a value");
	return status;
}

const struct picture_ops history_ops = {write_history, piece_history};
