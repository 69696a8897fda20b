/* A line of a few values without axes or text, small enough for a cell of a table. */
#ifndef ASCTUNE_PAGE_PLOT_SPARKLINE_H
#define ASCTUNE_PAGE_PLOT_SPARKLINE_H

#include <stddef.h>

struct buf;

enum sparkline_change { SPARKLINE_NONE, SPARKLINE_SLOWER, SPARKLINE_FASTER, SPARKLINE_UNDECIDED };

struct sparkline {
	const double *values; /* borrowed; NaN: a gap */
	size_t n;
	size_t index; /* the first value behind the change, where there is one */
	enum sparkline_change change;
	const char *label; /* what it shows, in words; any bytes */
};

/* Appends `<svg class="spark" role="img" aria-label="…" …>` of 120 x 28 pixels. No ids. Of many
 * values the least and the greatest of each pixel column are drawn. */
void sparkline_print(const struct sparkline *s, struct buf *out);

#endif
