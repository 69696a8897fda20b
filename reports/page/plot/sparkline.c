#include "reports/page/plot/sparkline.h"

#include <math.h>
#include <stdbool.h>

#include "reports/page/plot/axis.h"
#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"

enum { WIDTH = 120, HEIGHT = 28, BORDER = 4, COLUMNS = 112 };

static double x_of(const struct sparkline *s, size_t i)
{
	double place = s->n > 1 ? (double)i / (double)(s->n - 1) : 0.5;

	return BORDER + place * (WIDTH - 2 * BORDER);
}

static double y_of(const struct axis_range *r, double value)
{
	double place = r->high > r->low ? (value - r->low) / (r->high - r->low) : 0.5;

	return HEIGHT - BORDER - place * (HEIGHT - 2 * BORDER);
}

/* Values of one column of pixels. */
struct column {
	size_t number, low, high; /* indices */
	bool any;
};

/* A value alone is a line of no length, which its round ends make a point. */
static void add_point(const struct sparkline *s, const struct axis_range *r, size_t i, bool pen,
		      struct buf *out)
{
	buf_print(out, "%c%.1f %.1f%s", pen ? 'L' : 'M', x_of(s, i), y_of(r, s->values[i]),
		  pen ? "" : "h0");
}

static bool end_column(const struct sparkline *s, const struct axis_range *r, struct column *c,
		       bool pen, struct buf *out)
{
	if (!c->any)
		return pen;
	size_t first = c->low < c->high ? c->low : c->high;
	size_t last = c->low < c->high ? c->high : c->low;
	add_point(s, r, first, pen, out);
	if (last != first)
		add_point(s, r, last, true, out);
	c->any = false;
	return true;
}

static void add_value(const struct sparkline *s, struct column *c, size_t i, size_t number)
{
	if (!c->any)
		*c = (struct column){number, i, i, true};
	if (s->values[i] < s->values[c->low])
		c->low = i;
	if (s->values[i] > s->values[c->high])
		c->high = i;
}

static void print_line(const struct sparkline *s, const struct axis_range *r, struct buf *out)
{
	struct column c = {0};
	bool pen = false;

	buf_add_str(out, "<path fill=\"none\" stroke=\"var(--s1)\" stroke-width=\"1.5\" "
			 "stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"");
	for (size_t i = 0; i < s->n; i++) {
		size_t number = s->n > COLUMNS ? i * COLUMNS / s->n : i;
		if (c.any && (number != c.number || !isfinite(s->values[i])))
			pen = end_column(s, r, &c, pen, out);
		if (isfinite(s->values[i]))
			add_value(s, &c, i, number);
		else
			pen = false;
	}
	(void)end_column(s, r, &c, pen, out);
	buf_add_str(out, "\"/>");
}

/* Shapes tell what colours do: up, down, a ring. Each starts at the value's place. */
static const struct shape {
	const char *paint, *path;
} shapes[] = {
	[SPARKLINE_NONE] = {NULL, NULL},
	[SPARKLINE_SLOWER] = {"fill=\"var(--bad)\"", "m0 -4l4 7h-8z"},
	[SPARKLINE_FASTER] = {"fill=\"var(--good)\"", "m0 4l-4 -7h8z"},
	[SPARKLINE_UNDECIDED] = {"fill=\"none\" stroke=\"var(--fg)\"",
				 "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"},
};

static void print_mark(const struct sparkline *s, const struct axis_range *r, struct buf *out)
{
	const struct shape *shape = &shapes[s->change];

	if (shape->path && s->index < s->n && isfinite(s->values[s->index]))
		buf_print(out, "<path %s d=\"M%.1f %.1f%s\"/>", shape->paint, x_of(s, s->index),
			  y_of(r, s->values[s->index]), shape->path);
}

void sparkline_print(const struct sparkline *s, struct buf *out)
{
	struct axis_range r = axis_range_none;

	for (size_t i = 0; i < s->n; i++)
		axis_range_add(&r, s->values[i]);
	buf_print(out,
		  "<svg class=\"spark\" role=\"img\" width=\"%d\" height=\"%d\" "
		  "viewBox=\"0 0 %d %d\"><title>",
		  WIDTH, HEIGHT, WIDTH, HEIGHT);
	picture_text_escape(out, s->label);
	buf_add_str(out, "</title>");
	if (r.low <= r.high) {
		print_line(s, &r, out);
		print_mark(s, &r, out);
	}
	buf_add_str(out, "</svg>");
}
