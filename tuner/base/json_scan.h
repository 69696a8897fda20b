/* The walk over a document's text before cJSON reads it: json_scan.c has arrays and objects,
 * json_scalar.c what stands in them. Private to base/json.
 *
 * Functions that pass over a part of the text return false with the error set. */
#ifndef ASCTUNE_BASE_JSON_SCAN_H
#define ASCTUNE_BASE_JSON_SCAN_H

#include "tuner/base/json_node.h"

struct scan {
	const char *name, *text;
	size_t len, at;
	int depth;
	struct buf *numbers;
	size_t *n_values;
	struct asc_err *e;
};

#define SCAN_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define SCAN_DIGITS  "0123456789"

enum { SCAN_SHOWN = 40 }; /* at most this much of the text is repeated in a message */

int scan_peek(const struct scan *s);                        /* -1 at the end */
bool scan_take(struct scan *s, char c);                     /* false, nothing taken: not there */
size_t scan_span(const struct scan *s, const char *accept); /* how many of these follow */
bool scan_fail(struct scan *s, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

bool scan_string(struct scan *s);
bool scan_number(struct scan *s);
bool scan_word(struct scan *s); /* true, false, null */

#endif
