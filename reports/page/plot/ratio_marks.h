/* Ratios of times as small pictures that need no gnuplot: a bar that begins at 1, and the rows of a
 * forest plot, each a point with its interval on one axis.
 *
 * Places across are percentages of the width, so that a picture fills its place and nothing in it
 * is scaled. No ids. Labels are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_RATIO_MARKS_H
#define ASCTUNE_PAGE_PLOT_RATIO_MARKS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Appends a bar of 70 x 12 pixels from 1 to `ratio`, to the right and green for more than 1. */
void ratio_bar_print(double ratio, const char *label, struct buf *out);

struct ratio_axis { /* logarithmic; zeroed before the first addition */
	double low, high;
	bool less, more; /* a ratio is below a quarter, above 4: room for its value is left */
};

/* Widens the axis to a ratio and 1, at most to a quarter and 4; what is not finite does not count.
 */
void ratio_axis_add(struct ratio_axis *a, double ratio);

struct ratio_row {
	double ratio, low, high; /* low, high: interval; not finite: none */
	bool good;               /* drawn in the colour of what is good */
	const char *label;       /* tooltip and name of the picture */
};

/* Appends one row, 20 pixels high; a point beyond the axis is hollow, at its edge. Beside the edge
 * stands the value of what is beyond: of the point, else of the interval's end: "→ 16×". */
void ratio_row_print(const struct ratio_axis *a, const struct ratio_row *row, struct buf *out);

/* Appends the axis below the rows, with its labels. */
void ratio_axis_print(const struct ratio_axis *a, struct buf *out);

#endif
