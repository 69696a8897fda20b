/* Markup looked at as a strict reader would: one sentence about the first thing that is wrong.
 *
 * Well-formed by XML 1.0, of what our writers need: elements nest and end, attributes are quoted
 * and stand once, "&" begins one of the five names or the number of a character, "]]>" is no text;
 * neither CDATA nor comments. No control characters.
 *
 * A page and a part of one: each element and attribute is one that the page has, so no name opened
 * a tag or ended an attribute; no id twice; every href="#..", aria-labelledby and for has its
 * target; outside of text there is no http:, src=, @import, or url( of anything else: nothing is
 * loaded. */
#ifndef ASCTUNE_TESTS_MARKUP_CHECK_H
#define ASCTUNE_TESTS_MARKUP_CHECK_H

#include <stddef.h>

enum markup {
	MARKUP_XML, /* one element of any kind */
	MARKUP_PAGE /* the report, a picture or another part of it */
};

/* `text` is ended by a NUL that is not counted. NULL: nothing is wrong; else a heap string. */
char *markup_check(const char *text, size_t n, enum markup kind);

#endif
