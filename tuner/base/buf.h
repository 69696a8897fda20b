/* A growing byte string, always ended by a NUL that is not counted.
 *
 * The caller owns the storage: buf_init() or `struct buf b = {0}`, then buf_fini(). Allocation
 * failure is sticky: later additions do nothing and buf_check() returns ASC_NOMEM, so a chain of
 * additions needs one check at its end. */
#ifndef ASCTUNE_BASE_BUF_H
#define ASCTUNE_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf {
	char *data; /* NULL until the first addition */
	size_t len;
	size_t cap;
	bool failed;
};

void buf_init(struct buf *b);
void buf_fini(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory */
void buf_add(struct buf *b, const void *data, size_t n);
void buf_add_str(struct buf *b, const char *s);
void buf_add_cut(struct buf *b, const char *s,
		 size_t most); /* cuts to whole characters, then "..." */
void buf_add_char(struct buf *b, char c);
void buf_print(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_drop_front(struct buf *b, size_t n);      /* removes the first n bytes */
void buf_drop(struct buf *b, size_t at, size_t n); /* removes n bytes, or as many as there are */
const char *buf_str(const struct buf *b);          /* "" when empty */
enum asc_status buf_check(const struct buf *b, struct asc_err *e);
char *
buf_take(struct buf *b); /* owned by the caller, NULL after a failure; b is empty afterwards */

/* Heap copies; NULL when out of memory. */
char *str_dup(const char *s);
char *str_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True for an identifier of C, reserved words included; false for NULL. */
bool str_is_identifier(const char *text);

/* Compares names as people order them: p2 before p10, whatever else as strcmp(). */
int str_compare_natural(const char *a, const char *b);

/* True for equal texts. NULL is an empty text: a column of the database has either. */
bool str_is_same(const char *a, const char *b);

bool str_ends_with(const char *text, const char *end);

/* True where a NULL-terminated list has the text. */
bool str_is_in(const char *text, const char *const *list);

/* Finds the nearest of a NULL-terminated list, for "did you mean": within edits of a third of the
 * name's length, or NULL. A letter in the wrong case hardly counts. */
const char *str_nearest(const char *name, const char *const *candidates);

#endif
