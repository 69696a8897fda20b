/* The best time reached with each value of a parameter, as a small picture that needs no gnuplot:
 * a bar for each value, as high as the loss against the best of all.
 *
 * Places across are percentages of the width. No ids. Names are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PLOT_VALUE_BARS_H
#define ASCTUNE_PLOT_VALUE_BARS_H

#include <stddef.h>

struct buf;

struct value_bar {
	const char *name;  /* the value */
	double ratio;      /* best time with it / best of all; NaN: nothing passed */
	const char *label; /* tooltip */
};

struct value_bars {
	const struct value_bar *list;
	size_t n, chosen;  /* chosen: index of the value of the answer; n: none */
	const char *label; /* name of the picture */
};

/* Appends the picture, 84 pixels high and 150 wide or wider. Where the names have no room
 * below, only the chosen one's stands there. */
void value_bars_print(const struct value_bars *b, struct buf *out);

#endif
