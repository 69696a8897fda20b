/* The newest points of a history and of its baseline, in percent of the level before a change, as a
 * small picture that needs no gnuplot. No ids. Names are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_TREND_H
#define ASCTUNE_PAGE_PLOT_TREND_H

#include <stddef.h>

struct buf;

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

#endif
