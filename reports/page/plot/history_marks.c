/* Small pictures of histories, written as they are: a line in a cell of a table, the trend of a
 * history beside its baseline's, a row of a heat table. */
#include "reports/page/plot/history_marks.h"

#include <math.h>
#include <stdbool.h>

#include "reports/page/plot/axis.h"
#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

/* ---- sparklines ---- */

/* Pixels of a cell of the table; the border has room for the mark of a change. A column is a pixel:
 * more values than columns would only be drawn over each other. */
enum { SPARK_WIDTH = 120, SPARK_HEIGHT = 28, SPARK_BORDER = 4, SPARK_COLUMNS = 112 };

static double spark_x(const struct sparkline *s, size_t i)
{
	double place = s->n > 1 ? (double)i / (double)(s->n - 1) : 0.5;

	return SPARK_BORDER + place * (SPARK_WIDTH - 2 * SPARK_BORDER);
}

static double spark_y(const struct axis_range *r, double value)
{
	double place = r->high > r->low ? (value - r->low) / (r->high - r->low) : 0.5;

	return SPARK_HEIGHT - SPARK_BORDER - place * (SPARK_HEIGHT - 2 * SPARK_BORDER);
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
	buf_print(out, "%c%.1f %.1f%s", pen ? 'L' : 'M', spark_x(s, i), spark_y(r, s->values[i]),
		  pen ? "" : "h0");
}

static bool end_column(const struct sparkline *s, const struct axis_range *r, struct column *c,
		       bool pen, struct buf *out)
{
	if (!c->any)
		return pen;
	/* In the order of time, so that the line goes on from the later one. */
	size_t first = c->low < c->high ? c->low : c->high;
	size_t last = c->low < c->high ? c->high : c->low;
	add_point(s, r, first, pen, out);
	if (last != first)
		add_point(s, r, last, true, out);
	c->any = false;
	return true;
}

/* Appends the line, without its paint: a page has hundreds of lines, and says it once. */
static void print_spark(const struct sparkline *s, const struct axis_range *r, struct buf *out)
{
	struct column c = {0};
	bool pen = false;

	buf_add_str(out, "<path d=\"");
	for (size_t i = 0; i < s->n; i++) {
		size_t number = s->n > SPARK_COLUMNS ? i * SPARK_COLUMNS / s->n : i;
		if (c.any && (number != c.number || !isfinite(s->values[i])))
			pen = end_column(s, r, &c, pen, out);
		if (!isfinite(s->values[i])) {
			pen = false; /* a gap */
			continue;
		}
		if (!c.any)
			c = (struct column){number, i, i, true};
		if (s->values[i] < s->values[c.low])
			c.low = i;
		if (s->values[i] > s->values[c.high])
			c.high = i;
	}
	(void)end_column(s, r, &c, pen, out);
	buf_add_str(out, "\"/>");
}

/* Shapes say what colours say, for readers who see no colours: up, down, a ring. Each path starts
 * at the value's place. */
static const struct shape {
	const char *paint, *path;
} shapes[] = {
	[SPARKLINE_NONE] = {NULL, NULL},
	[SPARKLINE_SLOWER] = {"fill=\"var(--bad)\"", "m0 -4l4 7h-8z"},
	[SPARKLINE_FASTER] = {"fill=\"var(--good)\"", "m0 4l-4 -7h8z"},
	[SPARKLINE_UNDECIDED] = {"fill=\"none\" stroke=\"var(--fg)\"",
				 "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"},
};

void sparkline_print(const struct sparkline *s, struct buf *out)
{
	const struct shape *shape = &shapes[s->change];
	struct axis_range r = axis_range_none;

	for (size_t i = 0; i < s->n; i++)
		axis_range_add(&r, s->values[i]);
	buf_print(out,
		  "<svg class=\"spark\" role=\"img\" width=\"%d\" height=\"%d\" "
		  "viewBox=\"0 0 %d %d\"><title>",
		  SPARK_WIDTH, SPARK_HEIGHT, SPARK_WIDTH, SPARK_HEIGHT);
	picture_text_escape(out, s->label);
	buf_add_str(out, "</title>");
	if (r.low <= r.high)
		print_spark(s, &r, out);
	if (shape->path && s->index < s->n && isfinite(s->values[s->index]))
		buf_print(out, "<path %s d=\"M%.1f %.1f%s\"/>", shape->paint, spark_x(s, s->index),
			  spark_y(&r, s->values[s->index]), shape->path);
	buf_add_str(out, "</svg>");
}

/* ---- trends ---- */

enum {
	TREND_HEIGHT = 96,
	TREND_BORDER = 8, /* half of a label of the scale: the outermost ones are not cut */
	TREND_MARKS = 4   /* of the scale: 20 pixels apart, for labels of 13 */
};

/* Units across, whatever the pixels: coordinates need no fractions. */
static const double trend_width = 1000;

static double trend_x(const struct trend *t, double at)
{
	return t->n > 1 ? trend_width * at / (double)(t->n - 1) : trend_width / 2;
}

static double trend_y(const struct axis_range *r, double value)
{
	return TREND_HEIGHT - TREND_BORDER -
	       (TREND_HEIGHT - 2 * TREND_BORDER) * (value - r->low) / (r->high - r->low);
}

/* Distance of the marks of the scale, so that there are at most TREND_MARKS. */
static double find_step(const struct axis_range *r)
{
	static const double steps[] = {1, 2, 5};
	const double least = (r->high - r->low) / TREND_MARKS;
	/* 1, 2 or 5 times a power of ten: steps that are counted at a glance. */
	const double power = pow(10, floor(log10(least)));

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i] * power >= least)
			return steps[i] * power;
	return 10 * power;
}

static void print_scale(const struct axis_range *r, bool labels, struct buf *out)
{
	const double step = find_step(r);
	char text[UNITS_TEXT_SIZE];

	for (int k = (int)ceil(r->low / step); k * step <= r->high; k++) {
		const double at = k * step, y = trend_y(r, at);

		if (labels)
			buf_print(
				out,
				"<text class=\"m\" x=\"44\" y=\"%.1f\" text-anchor=\"end\">%s%s %%"
				"</text>",
				y + 4, at > 0 ? "+" : "",
				units_print_number(at, step < 1 ? 1 : 0, text));
		else
			buf_print(
				out,
				"<path stroke=\"var(--grid)\" vector-effect=\"non-scaling-stroke\""
				" d=\"M0 %.1fH%.0f\"/>",
				y, trend_width);
	}
}

static void print_line(const struct trend *t, const struct axis_range *r, size_t number,
		       struct buf *out)
{
	const struct trend_line *line = &t->lines[number];
	bool pen = false;

	if (!line->values)
		return;
	buf_print(out,
		  "<path fill=\"none\" stroke=\"var(--s%d)\" stroke-width=\"1.6\" "
		  "vector-effect=\"non-scaling-stroke\" d=\"",
		  number == 0 ? 2 : 1);
	for (size_t i = 0; i < t->n; i++) {
		const bool there = isfinite(line->values[i]);

		if (there)
			buf_print(out, "%c%.0f %.1f%s", pen ? 'L' : 'M', trend_x(t, (double)i),
				  trend_y(r, line->values[i]), pen ? "" : "h0");
		pen = there;
	}
	buf_add_str(out, "\"><title>");
	picture_text_escape(out, line->label);
	buf_add_str(out, "</title></path>");
}

void trend_print(const struct trend *t, struct buf *out)
{
	/* One percent around the level at least: noise of a tenth must not look like a change. */
	struct axis_range r = {-1, 1};

	for (size_t l = 0; l < TREND_LINES; l++)
		for (size_t i = 0; t->lines[l].values && i < t->n; i++)
			axis_range_add(&r, t->lines[l].values[i]);
	buf_print(out, "<div class=\"trend\"><svg class=\"scale\" aria-hidden=\"true\">");
	print_scale(&r, true, out);
	buf_print(out,
		  "</svg><svg class=\"lines\" role=\"img\" viewBox=\"0 0 %.0f %d\" "
		  "preserveAspectRatio=\"none\"><title>",
		  trend_width, TREND_HEIGHT);
	picture_text_escape(out, t->label);
	buf_add_str(out, "</title>");
	print_scale(&r, false, out);
	if (t->change < t->n)
		buf_print(out,
			  "<path stroke=\"var(--mut)\" stroke-dasharray=\"2 3\" "
			  "vector-effect=\"non-scaling-stroke\" d=\"M%.0f 0V%d\"/>",
			  trend_x(t, (double)t->change - 0.5), TREND_HEIGHT);
	/* The baseline first, so that the kernel's line lies on top. */
	for (size_t l = TREND_LINES; l-- > 0;)
		print_line(t, &r, l, out);
	buf_add_str(out, "</svg></div><p class=\"dates\"><span>");
	picture_text_escape(out, t->first);
	buf_add_str(out, "</span><span>");
	picture_text_escape(out, t->last);
	buf_add_str(out, "</span></p>\n");
}

/* ---- rows of nights ---- */

/* Change from which a cell is coloured, as the table's caption says, and from which it is coloured
 * fully: larger ones are rare, and would leave all others pale. */
static const double least_pct = 2, full_pct = 15;

static void begin_cell(size_t from, size_t cells, size_t n, struct buf *out)
{
	buf_print(out, "<rect x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\" ",
		  100 * (double)from / (double)n, 100 * (double)cells / (double)n);
}

/* Prints the bands of nights that were measured, whatever their change. */
static void print_bands(const double *list, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n;) {
		const size_t from = i;

		while (i < n && isfinite(list[i]))
			i++;
		if (i > from) {
			begin_cell(from, i - from, n, out);
			buf_add_str(out, "fill=\"var(--grid)\"/>");
		}
		while (i < n && !isfinite(list[i]))
			i++;
	}
}

void night_row_print(const double *changes_pct, size_t n, const char *const *days,
		     const char *subject, struct buf *out)
{
	buf_add_str(out, "<svg role=\"img\" aria-label=\"");
	picture_text_escape(out, subject);
	buf_add_str(out, "\">");
	print_bands(changes_pct, n, out);
	for (size_t i = 0; i < n; i++) {
		const double pct = changes_pct[i], size = fabs(pct);

		if (!(size >= least_pct)) /* NaN: nothing was measured, no cell */
			continue;
		begin_cell(i, 1, n, out);
		buf_print(out, "fill=\"var(--%s)\" opacity=\"%.2f\"%s><title>",
			  pct > 0 ? "bad" : "good",
			  fmin(0.25 + 0.75 * size / full_pct, 1), /* even the least one is seen */
			  isinf(pct) ? " stroke=\"var(--fg)\" stroke-width=\"2\"" : "");
		picture_text_escape(out, days[i]);
		if (isinf(pct))
			buf_add_str(out, ": broken</title></rect>");
		else
			buf_print(out, ": %+.1f %%</title></rect>", pct);
	}
	buf_add_str(out, "</svg>");
}
