#include "reports/page/html.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

enum { TOOLTIP = 400 }; /* characters: names stand in many cells */

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

struct escape {
	char from;
	const char *to;
};

static const struct escape of_text[] = {
	{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\r', ""}, {0, NULL}};
static const struct escape of_attribute[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
					     {'"', "&quot;"}, {'\'', "&#39;"}, {'\r', ""},
					     {'\n', "&#10;"}, {'\t', "&#9;"},  {0, NULL}};
static const struct escape of_json[] = {
	{'&', "\\u0026"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {'\r', ""}, {0, NULL}};

static uint32_t code_point(const char *s, size_t n)
{
	static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t c = (unsigned char)s[0] & lead[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3F);
	return c;
}

/* What is left out: first, last. Controls, the marks, embeddings and isolates of direction, line
 * and paragraph separators, what is no character. */
static const uint32_t unwanted[][2] = {{0x00, 0x08},     {0x0B, 0x0C},     {0x0E, 0x1F},
				       {0x7F, 0x9F},     {0x200E, 0x200F}, {0x2028, 0x202E},
				       {0x2066, 0x2069}, {0xFDD0, 0xFDEF}, {0xFFFE, 0xFFFF}};

static bool is_unwanted(uint32_t c)
{
	for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
		if (c >= unwanted[i][0] && c <= unwanted[i][1])
			return true;
	return (c & 0xFFFE) == 0xFFFE;
}

/* One character of `n` bytes, 0: a byte that is none. */
static void add_character(struct buf *out, const char *s, size_t n, const struct escape *escapes)
{
	if (n == 0) {
		buf_add_str(out, replacement);
		return;
	}
	if (is_unwanted(code_point(s, n)))
		return;
	for (; n == 1 && escapes->from; escapes++)
		if (escapes->from == *s) {
			buf_add_str(out, escapes->to);
			return;
		}
	buf_add(out, s, n);
}

/* The first `most` characters; returns whether there are more. */
static bool add_escaped(struct buf *out, const char *text, size_t most,
			const struct escape *escapes)
{
	size_t left = text ? strlen(text) : 0;

	for (; left > 0 && most > 0; most--) {
		size_t n = utf8_len(text, left), step = n ? n : 1;

		add_character(out, text, n, escapes);
		text += step;
		left -= step;
	}
	return left > 0;
}

void html_text(struct buf *out, const char *text)
{
	add_escaped(out, text, SIZE_MAX, of_text);
}

void html_attribute(struct buf *out, const char *text)
{
	add_escaped(out, text, SIZE_MAX, of_attribute);
}

void html_json(struct buf *out, const char *json)
{
	add_escaped(out, json, SIZE_MAX, of_json);
}

static size_t characters(const char *text)
{
	size_t left = strlen(text), count = 0;

	for (; left > 0; count++) {
		size_t n = utf8_len(text, left);

		text += n ? n : 1;
		left -= n ? n : 1;
	}
	return count;
}

void html_name(struct buf *out, const char *name, size_t most)
{
	if (!name)
		return;
	if (characters(name) <= most) {
		buf_add_str(out, "<bdi>");
		html_text(out, name);
	} else {
		buf_add_str(out, "<bdi title=\"");
		if (add_escaped(out, name, TOOLTIP, of_attribute))
			buf_add_str(out, "…");
		buf_add_str(out, "\">");
		add_escaped(out, name, most, of_text);
		buf_add_str(out, "…");
	}
	buf_add_str(out, "</bdi>");
}
