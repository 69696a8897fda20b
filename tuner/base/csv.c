#include "tuner/base/csv.h"

#include <stdbool.h>
#include <string.h>

/* Ends the quoted field that begins at `from`, doubled quotes made single; returns the text after
 * it. */
static char *unquote(char *from)
{
	char *to = from;

	for (; *from; from++) {
		if (*from == '"' && from[1] != '"')
			break;
		from += *from == '"';
		*to++ = *from;
	}
	from += *from == '"';
	*to = 0;
	return from;
}

/* The blanks that may stand before a field. */
static const char *blanks_of(char separator)
{
	return separator == '\t' ? " " : " \t";
}

char *csv_end_line(char *line, char separator)
{
	const char ends[] = {separator, '\n', 0};

	for (char *at = line;; at++) {
		at += strspn(at, blanks_of(separator));
		if (*at == '"')
			while (*++at && (*at != '"' || *++at == '"'))
				;
		at += strcspn(at, ends);
		if (*at == separator)
			continue;
		const bool last = !*at;

		*at = 0;
		return last ? NULL : at + 1;
	}
}

size_t csv_split(char *line, char separator, char **fields, size_t most)
{
	const char ends[] = {separator, '\r', 0};
	size_t count = 0;

	while (count < most) {
		line += strspn(line, blanks_of(separator));
		fields[count] = line;
		if (*line == '"') {
			char *rest = unquote(++line);

			fields[count] = line;
			line = rest;
		}
		size_t n = strcspn(line, ends);
		char end = line[n];

		/* Blanks behind a field are no part of it; those within quotes were taken above. */
		for (size_t last = n; last > 0 && strchr(" \t", line[last - 1]); last--)
			line[last - 1] = 0;
		line[n] = 0;
		line += n + 1;
		count++;
		if (end != separator)
			break;
	}
	return count;
}
