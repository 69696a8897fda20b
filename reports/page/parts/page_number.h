/* Numbers, times and dates of the page, as people read them and as its pictures have them
 * (tuner/base/units). */
#ifndef ASCTUNE_PARTS_PAGE_NUMBER_H
#define ASCTUNE_PARTS_PAGE_NUMBER_H

#include <stdint.h>

#include "tuner/base/units.h"

#define NUMBER_TEXT_SIZE UNITS_TEXT_SIZE

struct track_series;

/* Print into `text` and return it; "–" for a number that is not finite. */
const char *number_print(double value, int decimals, char text[NUMBER_TEXT_SIZE]);
const char *number_print_time(double ns, char text[NUMBER_TEXT_SIZE]);     /* "11.9 µs" */
const char *number_print_percent(double pct, char text[NUMBER_TEXT_SIZE]); /* "+5.1 %" */
const char *number_print_day(int64_t ms, char text[NUMBER_TEXT_SIZE]);     /* "2026-07-29" */
const char *number_print_moment(int64_t ms,
				char text[NUMBER_TEXT_SIZE]); /* "2026-07-29 03:00 UTC" */

/* "+5.1 % [4.8, 5.5]", "60.12× slower [54.66, 65.57]". */
const char *number_print_change(const struct track_series *s, char text[NUMBER_TEXT_SIZE]);

/* "+5.1 %", "60.12× slower": a change of a time, without its interval. */
const char *number_print_time_change(double pct, char text[NUMBER_TEXT_SIZE]);

/* Finds the unit that fits a time, for numbers that share one: number = ns / factor. */
struct units_scale number_scale_time(double ns);

#endif
