/* A page looked at as a strict reader would: one sentence about the first thing that is wrong.
 *
 * Valid UTF-8 without control characters; elements nest and end; attributes are quoted; "&" begins
 * a character reference; no id twice; every href="#..", aria-labelledby, for and url(#..) has its
 * target; nothing is loaded from outside: outside of text there is no http:, src=, @import, or url(
 * of anything else. */
#ifndef ASCTUNE_TESTS_HTML_CHECK_H
#define ASCTUNE_TESTS_HTML_CHECK_H

#include <stddef.h>

/* `text` is ended by a NUL that is not counted. NULL: nothing is wrong; else a heap string. */
char *html_check(const char *text, size_t n);

#endif
