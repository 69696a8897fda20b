/* An axis: its range, and ticks at round values with their labels. */
#ifndef ASCTUNE_PLOT_AXIS_H
#define ASCTUNE_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { AXIS_TICKS = 24 };

struct axis_tick {
	double at;
	char text[40];
};

struct axis {
	double low, high; /* low < high */
	bool log;
	struct axis_tick ticks[AXIS_TICKS];
	size_t n;
};

/* What all values span; a range of nothing until the first is added. */
struct axis_range {
	double low, high;
};
extern const struct axis_range axis_range_none;
void axis_range_add(struct axis_range *r, double value); /* not finite: left out */

/* The range becomes the axis's with `margin` (a part of it) on both sides; about `ticks` ticks. A
 * range of one value is widened, one of nothing is 0 to 1. `unit` as quantity.h has it. */
void axis_init(struct axis *a, struct axis_range r, double margin, size_t ticks, const char *unit);
void axis_init_log(struct axis *a, struct axis_range r, double margin, size_t ticks,
		   const char *unit); /* r.low > 0 */

/* Seconds since 1970, ticks at midnights and firsts of months (UTC). */
void axis_init_dates(struct axis *a, struct axis_range r, double margin, size_t ticks);

/* 0 at the low end, 1 at the high one; and back. */
double axis_place(const struct axis *a, double value);
double axis_value(const struct axis *a, double place);

size_t axis_widest(const struct axis *a); /* characters of the longest label */

#endif
