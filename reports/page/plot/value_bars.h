/* The best time reached with each value of a parameter, as a small picture that needs no gnuplot:
 * a bar for each value, as high as the loss against the best of all, with the number of
 * configurations behind it.
 *
 * Places across are percentages of the width. No ids. Names are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_VALUE_BARS_H
#define ASCTUNE_PAGE_PLOT_VALUE_BARS_H

#include <stddef.h>

struct buf;

struct value_bar {
	const char *name;  /* the value */
	double ratio;      /* best time with it / best of all; NaN: nothing passed */
	size_t n;          /* configurations behind it */
	const char *label; /* tooltip */
};

struct value_bars {
	const struct value_bar *list;
	size_t n, chosen;  /* chosen: index of the value of the answer; n: none */
	const char *label; /* name of the picture */
};

/* Appends the picture, 98 pixels high and 150 wide or wider. Where names have no room side by side
 * below, every second stands there, the chosen one among them; where these have none, it alone. */
void value_bars_print(const struct value_bars *b, struct buf *out);

#endif
