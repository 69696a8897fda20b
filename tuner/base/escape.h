/* Escaping of foreign text for another language, in which no part of it may have a meaning: HTML,
 * XML, Markdown, commands of a CI system.
 *
 * The output is text for people (utf8_is_text()) with tabs and newlines: U+FFFD stands for every
 * other character, and for each byte that is not part of one. */
#ifndef ASCTUNE_BASE_ESCAPE_H
#define ASCTUNE_BASE_ESCAPE_H

#include <stddef.h>

struct buf;

struct escape {         /* a list ends with {0, NULL} */
	char from;      /* ASCII, controls too */
	const char *to; /* "": left out */
};

/* Quote for both ends of a text that begins a line: "" where it begins as a name or a path does.
 * Runners of CI systems take "::" there, with or without space before it, for a command. */
const char *escape_line_quote(const char *text);

/* Appends at most `most` characters of `text` (NULL: none), those of the list replaced. Returns the
 * rest: "" when nothing is left. */
const char *escape_add(struct buf *out, const char *text, size_t most, const struct escape *list);

#endif
