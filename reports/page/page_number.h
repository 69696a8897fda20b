/* Numbers, times and dates of the page, as people read them: three digits, a prefix and a space, a
 * true minus. */
#ifndef ASCTUNE_PAGE_PAGE_NUMBER_H
#define ASCTUNE_PAGE_PAGE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define NUMBER_TEXT_SIZE 64

struct track_series;

/* Each returns `text`; "–" for what is not finite. */
const char *number_print(double value, int decimals, char text[NUMBER_TEXT_SIZE]);
const char *number_print_time(double ns, char text[NUMBER_TEXT_SIZE]);     /* "11.9 µs" */
const char *number_print_percent(double pct, char text[NUMBER_TEXT_SIZE]); /* "+5.1 %" */
const char *number_print_day(int64_t ms, char text[NUMBER_TEXT_SIZE]);     /* "2026-07-29" */
const char *number_print_moment(int64_t ms,
				char text[NUMBER_TEXT_SIZE]); /* "2026-07-29 03:00 UTC" */

/* "+5.1 % [4.8, 5.5]"; a change whose interval holds 0 is shown as "±" and the larger half. */
const char *number_print_change(const struct track_series *s, char text[NUMBER_TEXT_SIZE]);

/* The unit that fits a time, for numbers that share one. */
struct number_unit {
	const char *name;
	double ns;
};
const struct number_unit *number_unit_find(double ns);

#endif
