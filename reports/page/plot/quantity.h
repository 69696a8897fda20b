/* Numbers in pictures, as people read them: "11.9 µs", "−7.0 %", "60 TFLOP/s". */
#ifndef ASCTUNE_PAGE_PLOT_QUANTITY_H
#define ASCTUNE_PAGE_PLOT_QUANTITY_H

#include <stdbool.h>

#define QUANTITY_TEXT_SIZE 64

/* Prefixes (µ, k, M, ...) go with the base units s, J, W, Hz, B, B/s, FLOP/s and with none of the
 * others. The largest prefix that leaves at least 1 of |value|. */
struct quantity_scale {
	double factor; /* number = value / factor */
	char unit[32]; /* "µs"; may be "" */
};
bool quantity_has_prefix(const char *unit);
struct quantity_scale quantity_scale(double value, const char *unit);

/* The number alone, and with its unit; each returns `text`. */
const char *quantity_print_number(double number, int decimals, char text[QUANTITY_TEXT_SIZE]);
const char *quantity_print(double value, const char *unit, int digits,
			   char text[QUANTITY_TEXT_SIZE]);

/* Prints a value in a unit of choice. */
const char *quantity_print_in(const struct quantity_scale *unit, double value, int digits,
			      char text[QUANTITY_TEXT_SIZE]);

#endif
