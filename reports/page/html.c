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

static const struct escape of_text[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {0, NULL}};
static const struct escape of_attribute[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
					     {'"', "&quot;"}, {'\'', "&#39;"}, {'\n', "&#10;"},
					     {'\t', "&#9;"},  {0, NULL}};
/* A line may be broken behind a comma: between the parameters of a configuration. */
static const struct escape of_name[] = {
	{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {',', ",<wbr/>"}, {0, NULL}};
static const struct escape of_json[] = {
	{'&', "\\u0026"}, {'<', "\\u003c"}, {'>', "\\u003e"}, {0, NULL}};

/* One character of `n` bytes, 0: a byte that is none. */
static void add_character(struct buf *out, const char *s, size_t n, const struct escape *escapes)
{
	if (n == 0) {
		buf_add_str(out, replacement);
		return;
	}
	if (!utf8_is_text(s, n) && !(n == 1 && strchr("\t\n", *s)))
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
		add_escaped(out, name, SIZE_MAX, of_name);
	} else {
		buf_add_str(out, "<bdi title=\"");
		if (add_escaped(out, name, TOOLTIP, of_attribute))
			buf_add_str(out, "…");
		buf_add_str(out, "\">");
		add_escaped(out, name, most, of_name);
		buf_add_str(out, "…");
	}
	buf_add_str(out, "</bdi>");
}
