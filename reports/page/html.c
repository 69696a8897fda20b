#include "reports/page/html.h"

#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/utf8.h"

enum { TOOLTIP = 400 }; /* characters of a name in a tooltip: names stand in many cells */

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

void html_words(struct buf *out, const char *words)
{
	bool code = false;

	for (const char *at = words; *at; at++)
		if (*at != '`') {
			buf_add_char(out, *at);
		} else {
			buf_add_str(out, code ? "</code>" : "<code>");
			code = !code;
		}
}

void html_json(struct buf *out, const char *json)
{
	(void)escape_add(out, json, SIZE_MAX, of_json);
}

void html_name(struct buf *out, const char *name, size_t most)
{
	if (!name)
		return;
	if (utf8_count(name) <= most) {
		buf_add_str(out, "<bdi>");
		(void)escape_add(out, name, SIZE_MAX, of_name);
	} else {
		buf_add_str(out, "<bdi title=\"");
		if (*escape_add(out, name, TOOLTIP, of_attribute))
			buf_add_str(out, "…");
		buf_add_str(out, "\">");
		(void)escape_add(out, name, most, of_name);
		buf_add_str(out, "…");
	}
	buf_add_str(out, "</bdi>");
}
