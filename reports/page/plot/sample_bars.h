/* The samples of two configurations as a small picture that needs no gnuplot: bars up for one and
 * down for the other over the same times, so that outliers and two modes are seen.
 *
 * No ids. Texts are any bytes, escaped here. Pure. */
#ifndef ASCTUNE_PAGE_PLOT_SAMPLE_BARS_H
#define ASCTUNE_PAGE_PLOT_SAMPLE_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct sample_set {
	int64_t *list; /* ns */
	size_t n;
};

struct sample_range {
	double low, high; /* ns; what takes longer is not drawn but counted */
	size_t beyond;
	double most; /* the longest of all */
};

/* Finds the range of two sets, which are sorted in place: from the shortest to the longest, but not
 * beyond the far fence of Tukey ("Exploratory Data Analysis", 1977), three middle halves above the
 * upper quartile. False: there is nothing to see, since samples are too few or all alike. */
bool sample_bars_find(struct sample_set sets[2], struct sample_range *out);

/* Appends the picture, as wide as its place; bars are as high as their share of their set. */
void sample_bars_print(const struct sample_set sets[2], const struct sample_range *r,
		       const char *label, struct buf *out);

#endif
