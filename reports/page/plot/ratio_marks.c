#include "reports/page/plot/ratio_marks.h"

#include <math.h>
#include <stdio.h>

#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

/* Bounds of an axis: a ratio beyond would press those around 1, which have to be told apart. */
static const double lowest = 0.25, highest = 4;

static void begin(struct buf *out, const char *classes, const char *label)
{
	buf_print(out, "<svg role=\"img\" class=\"%s\"><title>", classes);
	picture_text_escape(out, label);
	buf_add_str(out, "</title>");
}

void ratio_bar_print(double ratio, const char *label, struct buf *out)
{
	const double middle = 35, part = log(fmin(fmax(ratio, lowest), highest)) / log(highest);
	const double width = fabs(part) * (middle - 1);

	begin(out, "bar", label);
	buf_print(out,
		  "<rect x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"8\" fill=\"var(--%s)\"/>"
		  "<path stroke=\"var(--fg)\" d=\"M%.0f 0v12\"/></svg>",
		  part < 0 ? middle - width : middle, width, part < 0 ? "bad" : "good", middle);
}

/* ---- axis ---- */

void ratio_axis_add(struct ratio_axis *a, double ratio)
{
	const double margin = 1.03; /* a point of 8 pixels is not cut at the edge */

	if (!(a->low > 0))
		*a = (struct ratio_axis){.low = 0.95, .high = 1.05}; /* 1 % must look small */
	if (!isfinite(ratio) || !(ratio > 0))
		return;
	a->less |= ratio < lowest;
	a->more |= ratio > highest;
	a->low = fmin(a->low, fmax(ratio / margin, lowest));
	a->high = fmax(a->high, fmin(ratio * margin, highest));
}

/* Place on the axis in percent of the width; between 0 and 100 whatever the ratio. */
static double place(const struct ratio_axis *a, double ratio)
{
	const double part = log(ratio / a->low) / log(a->high / a->low);

	return 100 * fmin(fmax(part, 0), 1);
}

static const double marks[] = {0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4};

/* Finds the marks that the axis has room for: 1, then outwards each mark that leaves room for the
 * labels of its neighbours. */
static size_t find_marks(const struct ratio_axis *a, double *list)
{
	enum { ONE = 6, MARKS = sizeof marks / sizeof *marks };
	const double near = 27; /* percent of the width that a label takes */
	double last = place(a, 1);
	size_t n = 0;

	list[n++] = 1;
	for (size_t i = ONE + 1; i < MARKS && marks[i] <= a->high; i++)
		if (place(a, marks[i]) - last >= near)
			last = place(a, list[n++] = marks[i]);
	last = place(a, 1);
	for (size_t i = ONE; i-- > 0 && marks[i] >= a->low;)
		if (last - place(a, marks[i]) >= near)
			last = place(a, list[n++] = marks[i]);
	return n;
}

/* Names the sides on which values of what is beyond stand. */
static const char *sides_of(const struct ratio_axis *a)
{
	return a->less && a->more ? " less more" : a->less ? " less" : a->more ? " more" : "";
}

void ratio_axis_print(const struct ratio_axis *a, struct buf *out)
{
	double list[sizeof marks / sizeof *marks];
	const size_t n = find_marks(a, list);

	buf_print(out, "<svg class=\"ticks%s\" aria-hidden=\"true\">", sides_of(a));
	for (size_t i = 0; i < n; i++) {
		const double at = place(a, list[i]);
		const char *anchor = at < 8 && !a->less    ? "start"
				     : at > 92 && !a->more ? "end"
							   : "middle";

		buf_print(out, "<text x=\"%.1f%%\" y=\"13\" text-anchor=\"%s\">%g×</text>", at,
			  anchor, list[i]);
	}
	buf_add_str(out, "</svg>");
}

/* ---- rows ---- */

/* Prints the value of what is beyond the axis on each side. */
static void print_beyond(const struct ratio_axis *a, const struct ratio_row *row, struct buf *out)
{
	const struct units_scale multiple = {.factor = 1};
	const double least = row->ratio < a->low ? row->ratio : row->low;
	const double most = row->ratio > a->high ? row->ratio : row->high;
	char text[UNITS_TEXT_SIZE];

	if (isfinite(least) && least < a->low)
		buf_print(out, "<text y=\"14\" dx=\"-6\" text-anchor=\"end\">%s× ←</text>",
			  units_print_in(&multiple, least, 2, text));
	if (isfinite(most) && most > a->high)
		buf_print(out, "<text x=\"100%%\" y=\"14\" dx=\"6\">→ %s×</text>",
			  units_print_in(&multiple, most, 2, text));
}

void ratio_row_print(const struct ratio_axis *a, const struct ratio_row *row, struct buf *out)
{
	const char *color = row->good ? "good" : "s1";
	const bool beyond = row->ratio > a->high || row->ratio < a->low;
	double list[sizeof marks / sizeof *marks];
	const size_t n = find_marks(a, list);
	char classes[32];

	(void)snprintf(classes, sizeof classes, "forest%s", sides_of(a));
	begin(out, classes, row->label);
	for (size_t i = 0; i < n; i++) /* the first mark is 1, which the others are read against */
		buf_print(out,
			  "<line x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"0\" y2=\"100%%\" "
			  "stroke=\"var(--%s)\"/>",
			  place(a, list[i]), place(a, list[i]), i ? "grid" : "mut");
	if (isfinite(row->low) && isfinite(row->high) && row->low > 0)
		buf_print(
			out,
			"<line x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"10\" y2=\"10\" stroke-width=\"2\" "
			"stroke=\"var(--%s)\"/>",
			place(a, row->low), place(a, row->high), color);
	if (isfinite(row->ratio) && row->ratio > 0)
		buf_print(out,
			  "<circle cx=\"%.1f%%\" cy=\"10\" r=\"4\" stroke=\"var(--%s)\" "
			  "fill=\"var(--%s)\"/>",
			  place(a, row->ratio), color, beyond ? "bg" : color);
	print_beyond(a, row, out);
	buf_add_str(out, "</svg>");
}
