/* Quantities as people write them, in two manners: plain for terminals, JSON and messages (`1.25
 * ms`, `16 MiB`, `11.9 us`), typeset for the page and its pictures (`11.9 µs`, `−7.0`, `60.0
 * TFLOP/s`).
 */
#ifndef ASCTUNE_BASE_UNITS_H
#define ASCTUNE_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#define UNITS_TEXT_SIZE 64

/* Longest duration, 104 days: messages and databases hold it exactly, and no sum of it and the
 * clock overflows. As a text for messages, in whole hours. */
#define UNITS_DURATION_MOST_NS (INT64_C(1) << 53)
#define UNITS_DURATION_MOST    "2501h"

/* Parses a duration with a unit of ns, us, ms, s, m (min) or h: `30s`, `1.5m`; or in two units as
 * units_print_duration() prints it. False for anything else, for 0 or less, and for more than
 * UNITS_DURATION_MOST_NS. */
bool units_parse_duration(const char *text, int64_t *ns);
bool units_parse_count(const char *text, uint64_t *count); /* decimal digits only, at least 1 */

/* Plain: at most four significant digits with a unit, durations from a minute on as "1 min 13 s";
 * each returns `text`. */
const char *units_print_duration(double ns, char text[UNITS_TEXT_SIZE]);
const char *units_print_bytes(double bytes, char text[UNITS_TEXT_SIZE]);
const char *units_print_rate(double per_second, const char *unit,
			     char text[UNITS_TEXT_SIZE]); /* 1.2e9, "FLOP/s" -> 1.2 GFLOP/s */

/* Prints a number with its sign; what rounds to 0 is "+0.0". Returns `text`. */
const char *units_print_signed(double number, int decimals, char text[UNITS_TEXT_SIZE]);

/* Unit with the largest prefix that leaves at least 1 of |value|. Prefixes (µ, k, M, ...) go with
 * the base units s, J, W, Hz, B, B/s and FLOP/s only. */
struct units_scale {
	double factor; /* number = value / factor */
	char unit[32]; /* "µs"; may be "" */
};
bool units_has_prefix(const char *unit);
struct units_scale units_scale(double value, const char *unit);

/* Typeset: `digits` significant digits, zeros at the end too, in the unit that fits or in one of
 * choice; the number alone with so many decimals. "–" is a value that is not finite. Each returns
 * `text`. */
const char *units_print(double value, const char *unit, int digits, char text[UNITS_TEXT_SIZE]);
const char *units_print_in(const struct units_scale *unit, double value, int digits,
			   char text[UNITS_TEXT_SIZE]);
const char *units_print_number(double number, int decimals, char text[UNITS_TEXT_SIZE]);

int64_t clock_now_ns(void);  /* CLOCK_MONOTONIC */
int64_t clock_date_ms(void); /* CLOCK_REALTIME: ms since 1970; may be put back */

#endif
