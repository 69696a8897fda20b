/* One number: an integer, a real or a truth value. Plain data, copied freely. */
#ifndef ASCTUNE_BASE_VALUE_H
#define ASCTUNE_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_INT, VALUE_REAL, VALUE_BOOL };

struct value {
	enum value_kind kind;
	union {
		int64_t i; /* VALUE_INT, and 0 or 1 for VALUE_BOOL */
		double r;
	};
};

struct value value_int(int64_t i);
struct value value_real(double r);
struct value value_bool(bool b);
double value_as_real(struct value v);
bool value_truth(struct value v);

/* True when equal as numbers: 1 == 1.0 == true. Exact for integers of any size. */
bool value_equal(struct value a, struct value b);

/* Order of two numbers: -1 when b is larger, 0 when they are equal, 1 when a is larger, 2 when one
 * is a NaN. Exact like value_equal(). */
int value_order(struct value a, struct value b);

/* Prints a short text that reads back to the same value: `64`, `0.1`, `1.0`, `1e+30`, `true`.
 * Returns the length, as snprintf does. */
int value_print(struct value v, char *text, size_t size);

/* Parses the output of value_print for finite numbers (also `True`, `False`); the whole of
 * text[0..len) must be a number, and an integer must fit into 64 bits. */
bool value_parse(const char *text, size_t len, struct value *out);

#endif
