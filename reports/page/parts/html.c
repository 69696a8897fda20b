#include "reports/page/parts/html.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/utf8.h"

enum {
	TOOLTIP = 400, /* characters of a name in a tooltip: names stand in many cells */
	COPY = 400     /* shown characters of a text to be copied: a few lines */
};

static const struct escape of_text[] = {
	{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\r', ""}, {0, NULL}};
static const struct escape of_attribute[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
					     {'"', "&quot;"}, {'\'', "&#39;"}, {'\r', ""},
					     {'\n', "&#10;"}, {'\t', "&#9;"},  {0, NULL}};
/* Escapes of a name: a line may break after a comma, between the parameters of a configuration. */
static const struct escape of_name[] = {{'&', "&amp;"},   {'<', "&lt;"}, {'>', "&gt;"},
					{',', ",<wbr/>"}, {'\r', ""},    {0, NULL}};
static const struct escape of_json[] = {
	{'&', "\\u0026"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {'\r', ""}, {0, NULL}};

void html_text(struct buf *out, const char *text)
{
	(void)escape_add(out, text, SIZE_MAX, of_text);
}

void html_attribute(struct buf *out, const char *text)
{
	(void)escape_add(out, text, SIZE_MAX, of_attribute);
}

void html_json(struct buf *out, const char *json)
{
	(void)escape_add(out, json, SIZE_MAX, of_json);
}

/* Adds text; of more than `most` characters the middle is replaced by "…". */
static void add_cut(struct buf *out, const char *text, size_t most, const struct escape *list)
{
	/* The end of a name is what tells it from others, such as its sizes: a third of the room.
	 */
	const size_t n = utf8_count(text), end = most / 3;

	if (n <= most) {
		(void)escape_add(out, text, SIZE_MAX, list);
		return;
	}
	const char *rest = escape_add(out, text, most - end, list);
	size_t left = strlen(rest);

	for (size_t skip = n - most; skip > 0; skip--) {
		const size_t bytes = utf8_len(rest, left);

		/* A byte that is no character counts as one: names may be any bytes. */
		rest += bytes ? bytes : 1;
		left -= bytes ? bytes : 1;
	}
	buf_add_str(out, "…");
	(void)escape_add(out, rest, SIZE_MAX, list);
}

void html_name(struct buf *out, const char *name, size_t most)
{
	if (!name)
		return;
	buf_add_str(out, "<bdi");
	if (utf8_count(name) > most) {
		buf_add_str(out, " title=\"");
		add_cut(out, name, TOOLTIP, of_attribute);
		buf_add_char(out, '"');
	}
	buf_add_char(out, '>');
	add_cut(out, name, most, of_name);
	buf_add_str(out, "</bdi>");
}

/* Adds text whose lines may end after blanks and commas alone, not at a hyphen of an option. */
static void add_words(struct buf *out, char *text)
{
	char end = ' ';

	for (; end; text += strlen(text) + 1) {
		const size_t n = strcspn(text, " ,");
		/* A browser may break a line behind any hyphen, but not a block in the line. */
		const bool hyphen = memchr(text, '-', n);

		end = text[n];
		text[n] = '\0';
		buf_add_str(out, hyphen ? "<span>" : "");
		html_text(out, text);
		buf_add_str(out, hyphen ? "</span>" : "");
		buf_add_str(out, end == ' ' ? " " : end ? ",<wbr/>" : "");
	}
}

void html_copy(struct buf *out, const char *text)
{
	static const struct escape none[] = {{0, NULL}};
	struct buf shown = {0};

	buf_add_str(out, "<code class=\"copy\"");
	if (utf8_count(text) > COPY) {
		buf_add_str(out, " title=\"");
		(void)escape_add(out, text, SIZE_MAX, of_attribute);
		buf_add_char(out, '"');
	}
	buf_add_char(out, '>');
	/* Cut before it is escaped: an escape is one character. */
	add_cut(&shown, text, COPY, none);
	char *words = buf_take(&shown);

	if (words)
		add_words(out, words);
	out->failed |= !words;
	free(words);
	buf_add_str(out, "</code>");
}
