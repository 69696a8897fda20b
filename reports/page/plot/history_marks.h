/* Histories as small pictures that need no gnuplot.
 *
 * No ids. Texts are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_HISTORY_MARKS_H
#define ASCTUNE_PAGE_PLOT_HISTORY_MARKS_H

#include <stddef.h>

struct buf;

/* ---- a line of a few values without axes or text, small enough for a cell of a table ---- */

enum sparkline_change { SPARKLINE_NONE, SPARKLINE_SLOWER, SPARKLINE_FASTER, SPARKLINE_UNDECIDED };

struct sparkline {
	const double *values; /* borrowed; NaN: a gap */
	size_t n;
	size_t index; /* the first value behind the change; not used for SPARKLINE_NONE */
	enum sparkline_change change;
	const char *label; /* what it shows, in words */
};

/* Appends `<svg class="spark" role="img" …>` of 120 x 28 pixels, whose line has the paint of a
 * page's `.spark path:not([fill])`. Of many values the least and the greatest of each pixel column
 * are drawn. */
void sparkline_print(const struct sparkline *s, struct buf *out);

/* ---- the newest points of a history and of its baseline, in percent of the level before a change
 * ---- */

enum { TREND_LINES = 2 };

struct trend_line {
	const double *values; /* in percent of the level; NaN: a gap */
	const char *label;    /* tooltip */
};

struct trend {
	struct trend_line lines[TREND_LINES]; /* kernel, baseline; NULL values: none */
	size_t n;                             /* values of each line */
	size_t change;                        /* first value behind the change; n: none */
	const char *first, *last;             /* dates of the first and the last value */
	const char *label;                    /* name of the picture */
};

/* Appends the picture, 96 pixels high and as wide as its place, with dates below. */
void trend_print(const struct trend *t, struct buf *out);

/* ---- a row of a heat table: a cell for each night, coloured by its change ---- */

/* Appends the row, 14 pixels high and as wide as its place: `n` changes in percent, the oldest
 * first, NaN if nothing was measured, infinite if the kernel was broken. Cells within 2 % are one
 * band; others have a tooltip, broken ones a frame. `days` are dates, `subject` names the picture.
 */
void night_row_print(const double *changes_pct, size_t n, const char *const *days,
		     const char *subject, struct buf *out);

#endif
