/* A row of a heat table: a cell for each night, coloured by its change. No gnuplot, no ids. Pure.
 */
#ifndef ASCTUNE_PAGE_PLOT_NIGHT_ROW_H
#define ASCTUNE_PAGE_PLOT_NIGHT_ROW_H

#include <stddef.h>

struct buf;

/* Appends the row, 14 pixels high and as wide as its place: `n` changes in percent, the oldest
 * first, NaN where nothing was measured, infinite where it was broken. Cells within 2 % are one
 * band; others have a tooltip, broken ones a frame. `days` are dates, `subject` (any bytes) names
 * the picture. */
void night_row_print(const double *changes_pct, size_t n, const char *const *days,
		     const char *subject, struct buf *out);

#endif
