/* A script for gnuplot: blocks of data between a mark, and commands. In data a name is between
 * quotes or is a line of a block $TEXT_x; in commands nothing starts a program. That no name
 * stands in a command is for the caller to see, who knows them. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

enum { NAME_BYTES = 60 * 4 + 200 /* escapes */, PARTS = 6 };

struct line {
	const char *at;
	size_t n;
};

static bool is(const struct line *l, const char *text)
{
	return l->n == strlen(text) && memcmp(l->at, text, l->n) == 0;
}

static bool has(const struct line *l, const char *text)
{
	return memmem(l->at, l->n, text, strlen(text)) != NULL;
}

/* `$NAME << MARK` */
static bool begins_data(const struct line *l, const char *mark)
{
	size_t m = strlen(mark), name = 1;

	while (name < l->n && (isalnum((unsigned char)l->at[name]) || l->at[name] == '_'))
		name++;
	return l->n == name + 4 + m && l->at[0] == '$' && memcmp(l->at + name, " << ", 4) == 0 &&
	       memcmp(l->at + name + 4, mark, m) == 0;
}

/* A quoted field from its first quote on; NULL when it does not end, or has an escape that is not
 * ours. */
static const char *skip_quoted(const char *at, const char *end)
{
	const char *start = at++;

	for (; at < end && *at != '"'; at++)
		if (*at == '\\' && (++at == end || !strchr("\\n", *at)))
			return NULL;
	return at < end && at - start < NAME_BYTES ? at + 1 : NULL;
}

/* Numbers and quoted fields, each with a space behind. */
static bool is_row(const struct line *l)
{
	const char *at = l->at, *end = l->at + l->n;
	char *after;

	while (at < end) {
		if (*at == '"') {
			at = skip_quoted(at, end);
			if (!at)
				return false;
		} else {
			(void)strtod(at, &after);
			if (after == at)
				return false;
			at = after;
		}
		if (at == end || *at++ != ' ')
			return false;
	}
	return true;
}

/* Backticks and commands that run something; what reads or writes pipes. */
static bool is_harmless(const struct line *l)
{
	static const char *const harmful[] = {"`",   "system(", "eval ", "load",  "call",      "'<",
					      "\"<", "'|",      "\"|",   "shell", "set print", "@"};

	for (size_t i = 0; i < sizeof harmful / sizeof *harmful && *l->at != '#'; i++)
		if (has(l, harmful[i]))
			return false;
	return l->n == 0 || *l->at != '!';
}

/* Most lines of names in the block that begins here; 0: it has rows. */
static size_t texts_of(const struct line *l)
{
	if (strncmp(l->at, "$TEXT_", 6) != 0)
		return 0;
	return has(l, "$TEXT_PARTS ") || has(l, "$TEXT_CURVES ") ? PARTS : 1;
}

static const char *data_check(const struct line *l, size_t texts, size_t rows)
{
	if (texts)
		return rows == texts ? "a text of two lines" : NULL;
	return is_row(l) ? NULL : "a row of something else than numbers and names";
}

const char *script_check(const char *text, const char *mark, const char **wrong)
{
	bool data = false;
	size_t rows = 0, texts = 0; /* lines of names in the block in hand */
	const char *bad = foreign_bad_character(text);

	*wrong = bad ? "no character" : strlen(mark) < 20 ? "a mark that can be guessed" : NULL;
	for (size_t step; *text && !*wrong; text += step) {
		struct line l = {text, strcspn(text, "\n")};

		step = l.n + (text[l.n] == '\n');
		bad = text;
		if (data && is(&l, mark)) {
			data = false;
		} else if (data) {
			*wrong = data_check(&l, texts, rows++);
		} else if (begins_data(&l, mark)) {
			data = true;
			texts = texts_of(&l);
			rows = 0;
		} else if (!is_harmless(&l)) {
			*wrong = "a command that is not ours";
		}
	}
	if (!*wrong && data)
		*wrong = "data that do not end";
	return *wrong ? bad : NULL;
}
