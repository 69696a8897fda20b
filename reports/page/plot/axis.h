/* An axis: its range, its scale and the unit of its numbers. gnuplot finds the ticks. */
#ifndef ASCTUNE_PAGE_PLOT_AXIS_H
#define ASCTUNE_PAGE_PLOT_AXIS_H

#include <stdbool.h>

#include "tuner/base/units.h"

struct axis {
	double low, high; /* low < high, in base units */
	enum axis_scale { AXIS_LINEAR, AXIS_LOG, AXIS_DATES } scale;
	struct units_scale unit; /* gnuplot is given value / unit.factor */
	bool prefixes;           /* values span so much that each tick has a prefix of its own */
};

/* Range of all values added; of nothing until the first. */
struct axis_range {
	double low, high;
};
extern const struct axis_range axis_range_none;
void axis_range_add(struct axis_range *r, double value); /* not finite: left out */

/* True for a value that has a place on a logarithmic axis; what is measured is no other. */
bool axis_is_positive(double value);

/* The range becomes the axis's with `margin` (a part of it) on both sides. A range of one value is
 * widened, one of nothing is 0 to 1. `unit` as units.h has it. */
void axis_init(struct axis *a, struct axis_range r, double margin, const char *unit);

/* Logarithmic where the values span a factor of 4 or more, else linear; r.low > 0. One unit for all
 * ticks, which suits the middle of the range, up to five decades. */
void axis_init_log(struct axis *a, struct axis_range r, double margin, const char *unit);

/* Seconds since 1970 (UTC); linear where they are no dates of the years 1 to 9999. */
void axis_init_dates(struct axis *a, struct axis_range r, double margin);

/* 0 at the low end, 1 at the high one; and back. */
double axis_place(const struct axis *a, double value);
double axis_value(const struct axis *a, double place);

/* Prints a value in the unit of the ticks, with so many digits; returns `text`. */
const char *axis_print(const struct axis *a, double value, int digits, char text[UNITS_TEXT_SIZE]);

#endif
