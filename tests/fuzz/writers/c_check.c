/* A header of C, read by the phases of translation (C17, 5.1.1.2) as far as comments, strings and
 * brackets: nothing of a name may be anything but a part of a string or a comment. */
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

static const char *take_comment(const char *at, const char **wrong)
{
	const char *end = strstr(at + 2, "*/"), *other = strstr(at + 2, "/*");

	*wrong = !end ? "a comment that does not end" : "a comment in a comment";
	return end && (!other || other > end) ? end + 2 : NULL;
}

/* A simple escape or three octal digits. */
static const char *take_escape(const char *at)
{
	if (at[1] == '"' || at[1] == '\\')
		return at + 2;
	for (int i = 1; i <= 3; i++)
		if (at[i] < '0' || at[i] > '7')
			return NULL;
	return at + 4;
}

static const char *take_string(const char *at, const char **wrong)
{
	*wrong = "a string that does not end";
	for (at++; at && *at != '"';) {
		if (!*at || *at == '\n')
			return NULL;
		if (*at != '\\') {
			at++;
			continue;
		}
		*wrong = "an escape that is none";
		at = take_escape(at);
	}
	return at ? at + 1 : NULL;
}

/* One character outside of both; a header of tables has no other ones. */
static const char *take_plain(const char *at, int *depth, const char **wrong)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
		" \t\n#<>*/+-=!&|.,;:?()[]{}";

	*wrong = "a character that is no part of the tables";
	*depth += strchr("([{", *at) ? 1 : strchr(")]}", *at) ? -1 : 0;
	return strchr(plain, *at) && *depth >= 0 ? at + 1 : NULL;
}

const char *c_check(const char *text, const char **wrong)
{
	const char *next = text;
	int depth = 0;

	*wrong = "a character that is none of the basic ones, or a trigraph";
	for (const char *c = text; *c; c++)
		if ((*c < ' ' && *c != '\n' && *c != '\t') || *c > '~' || strncmp(c, "??", 2) == 0)
			return c;
	for (const char *at = text; *at; at = next) {
		if (strncmp(at, "/*", 2) == 0)
			next = take_comment(at, wrong);
		else if (*at == '"')
			next = take_string(at, wrong);
		else
			next = take_plain(at, &depth, wrong);
		if (!next)
			return at;
	}
	*wrong = "a bracket that is not closed";
	return depth ? text : NULL;
}
