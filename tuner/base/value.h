/* One value: an integer, a real, a truth value or a short text. Plain data, copied freely. */
#ifndef ASCTUNE_BASE_VALUE_H
#define ASCTUNE_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_INT, VALUE_REAL, VALUE_BOOL, VALUE_TEXT };

struct value {
	enum value_kind kind;
	union {
		int64_t i; /* VALUE_INT, 0 or 1 for VALUE_BOOL, number of a VALUE_TEXT */
		double r;
	};
};

struct value value_int(int64_t i);
struct value value_real(double r);
struct value value_bool(bool b);
double value_as_real(struct value v); /* NaN for a text */
bool value_truth(struct value v);     /* true for a text */

/* ---- texts: printable ASCII characters without , = \ and quotes or blanks at the ends, that
 * value_parse() does not take; at most VALUE_TEXT_MAX ---- */

enum { VALUE_TEXT_MAX = 60 };
#define VALUE_TEXT_RULE                                                                            \
	"1 to 60 printable ASCII characters that are no number, without quotes, backslash, ',', "  \
	"'=' and blanks at the ends"

bool value_text_check(const char *text, size_t len);

/* Makes the value of a text that value_text_check() accepts; it stays for the life of the process.
 * False: out of memory, or more than 65,536 texts. */
bool value_text_add(const char *text, size_t len, struct value *out);

/* Finds the value of a text that was added before; false: there is none. */
bool value_text_find(const char *text, size_t len, struct value *out);
const char *value_text_get(struct value v); /* v.kind is VALUE_TEXT */

/* True when equal as numbers, 1 == 1.0 == true, or as texts. Exact for integers of any size. */
bool value_equal(struct value a, struct value b);

/* Order of two values: -1 when b is larger, 0 when they are equal, 1 when a is larger, 2 when one
 * is a NaN. Exact like value_equal(). Texts come after numbers, in byte order. */
int value_order(struct value a, struct value b);

/* Prints a short text that reads back to the same value: `64`, `0.1`, `1.0`, `1e+30`,
 * `true`; a text as it is.
 * Returns the length, as snprintf does. */
int value_print(struct value v, char *text, size_t size);

/* Parses the output of value_print for finite numbers (also `True`, `False`); the whole of
 * text[0..len) must be a number, and an integer must fit into 64 bits. */
bool value_parse(const char *text, size_t len, struct value *out);

#endif
