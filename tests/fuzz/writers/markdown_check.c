/* The summary for pull requests: every line is ours, every row has as many cells as its header, and
 * what stands in a cell is nothing but text to a reader of GitHub Flavored Markdown. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Entities that writers use for characters that a backslash does not take the meaning of. */
static size_t entity(const char *at)
{
	static const char *const known[] = {"&lt;", "&gt;", "&amp;"};
	int n = 0;
	unsigned number;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (starts(at, known[i]))
			return strlen(known[i]);
	return sscanf(at, "&#%u;%n", &number, &n) == 1 && n > 0 ? (size_t)n : 0;
}

/* Characters that begin or end a code span, emphasis, a link, HTML, a mention, an issue, a formula.
 */
static bool has_meaning(char c)
{
	return strchr("`*_[]<>&@#~$", c) != NULL;
}

static const char *row_check(const char *at, size_t wanted, const char **wrong)
{
	size_t bars = 0;

	for (; *at != '\n'; at++) {
		size_t n = entity(at);

		if (n > 0)
			at += n - 1;
		else if (*at == '\\' && ispunct((unsigned char)at[1]))
			at++;
		else if (*at == '|')
			bars++;
		else if (has_meaning(*at) || *at == '\\') {
			*wrong = "a character with a meaning";
			return at;
		}
	}
	*wrong = "a row that has not its cells";
	return bars == wanted && at[-1] == '|' ? NULL : at;
}

/* *bars: of the table that the line is in. */
static const char *line_check(const char *at, size_t *bars, const char **wrong)
{
	static const struct {
		const char *text;
		size_t bars;
	} ours[] = {{"## asctune track: ", 0},
		    {"\n", 0},
		    {"and ", 0},
		    {"|---|---|--:|--:|---|\n", 6},
		    {"|---|---|---|---|---|---|---|---|\n", 9},
		    {"| verdict | series | change (95 % interval) |", 0},
		    {"| now | problem | implementation |", 0}};

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (starts(at, ours[i].text)) {
			*bars = ours[i].bars;
			return NULL;
		}
	*wrong = "a line that is not ours";
	return starts(at, "| ") ? row_check(at, *bars, wrong) : at;
}

const char *markdown_check(const char *text, const char **wrong)
{
	const char *bad = foreign_bad_character(text);
	size_t bars = 0;

	*wrong = "no character";
	for (size_t n; *text && !bad; text += n) {
		n = strcspn(text, "\n") + 1;
		*wrong = "a line that does not end";
		bad = text[n - 1] ? line_check(text, &bars, wrong) : text;
	}
	return bad;
}
