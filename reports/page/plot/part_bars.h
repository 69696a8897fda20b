/* Parts of a whole as small pictures that need no gnuplot: a bar for one part, and a bar stacked of
 * several.
 *
 * Each picture fills the width of its place and is 20 pixels high; places across are percentages.
 * No ids. Labels are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_PART_BARS_H
#define ASCTUNE_PAGE_PLOT_PART_BARS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

enum { STACK_COLORS = 7 }; /* the last one is that of what is left */

/* Appends a bar from 0 to `part` over a track from 0 to 1; `most`, at least 1, is the right edge.
 * `on`: drawn in the colour of what is chosen. */
void part_bar_print(double part, double most, bool on, const char *label, struct buf *out);

/* Appends a bar of values side by side, of which `whole` takes the width; the i-th has the i-th
 * colour. What is not above 0 is left out. */
void stack_bar_print(const double *values, size_t n, double whole, const char *label,
		     struct buf *out);

/* Appends a square of a colour, for a key. */
void stack_key_print(size_t color, struct buf *out);

#endif
