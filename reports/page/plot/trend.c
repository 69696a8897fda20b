#include "reports/page/plot/trend.h"

#include <math.h>
#include <stdbool.h>

#include "reports/page/plot/axis.h"
#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

enum { HEIGHT = 96, BORDER = 8, MARKS = 4 };

static const double width = 1000; /* units across, whatever the pixels */

static double x_of(const struct trend *t, double at)
{
	return t->n > 1 ? width * at / (double)(t->n - 1) : width / 2;
}

static double y_of(const struct axis_range *r, double value)
{
	return HEIGHT - BORDER - (HEIGHT - 2 * BORDER) * (value - r->low) / (r->high - r->low);
}

/* Finds the range of all values and of at least one percent around the level. */
static struct axis_range find_range(const struct trend *t)
{
	struct axis_range r = {-1, 1};

	for (size_t l = 0; l < TREND_LINES; l++)
		for (size_t i = 0; t->lines[l].values && i < t->n; i++)
			axis_range_add(&r, t->lines[l].values[i]);
	return r;
}

/* Distance of the marks: 1, 2 or 5 times a power of ten, so that there are at most MARKS. */
static double find_step(const struct axis_range *r)
{
	static const double steps[] = {1, 2, 5};
	const double least = (r->high - r->low) / MARKS;
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
		const double at = k * step, y = y_of(r, at);

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
				y, width);
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
			buf_print(out, "%c%.0f %.1f%s", pen ? 'L' : 'M', x_of(t, (double)i),
				  y_of(r, line->values[i]), pen ? "" : "h0");
		pen = there;
	}
	buf_add_str(out, "\"><title>");
	picture_text_escape(out, line->label);
	buf_add_str(out, "</title></path>");
}

void trend_print(const struct trend *t, struct buf *out)
{
	const struct axis_range r = find_range(t);

	buf_print(out, "<div class=\"trend\"><svg class=\"scale\" aria-hidden=\"true\">");
	print_scale(&r, true, out);
	buf_print(out,
		  "</svg><svg class=\"lines\" role=\"img\" viewBox=\"0 0 %.0f %d\" "
		  "preserveAspectRatio=\"none\"><title>",
		  width, HEIGHT);
	picture_text_escape(out, t->label);
	buf_add_str(out, "</title>");
	print_scale(&r, false, out);
	if (t->change < t->n)
		buf_print(out,
			  "<path stroke=\"var(--mut)\" stroke-dasharray=\"2 3\" "
			  "vector-effect=\"non-scaling-stroke\" d=\"M%.0f 0V%d\"/>",
			  x_of(t, (double)t->change - 0.5), HEIGHT);
	for (size_t l = TREND_LINES; l-- > 0;)
		print_line(t, &r, l, out);
	buf_add_str(out, "</svg></div><p class=\"dates\"><span>");
	picture_text_escape(out, t->first);
	buf_add_str(out, "</span><span>");
	picture_text_escape(out, t->last);
	buf_add_str(out, "</span></p>\n");
}
