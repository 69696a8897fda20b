#include "tuner/base/escape.h"

#include <ctype.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* Escapes one character of `n` bytes; n 0: a byte that is part of none. */
static void add_character(struct buf *out, const char *s, size_t n, const struct escape *list)
{
	for (; n == 1 && list->to; list++)
		if (list->from == *s) {
			buf_add_str(out, list->to);
			return;
		}
	if (utf8_is_text(s, n) || (n == 1 && (*s == '\t' || *s == '\n')))
		buf_add(out, s, n);
	else
		buf_add_str(out, replacement);
}

const char *escape_line_quote(const char *text)
{
	return isalnum((unsigned char)*text) || strchr("/._~", *text) ? "" : "\"";
}

const char *escape_add(struct buf *out, const char *text, size_t most, const struct escape *list)
{
	size_t left = text ? strlen(text) : 0;

	for (; left > 0 && most > 0; most--) {
		size_t n = utf8_len(text, left), step = n ? n : 1;

		add_character(out, text, n, list);
		text += step;
		left -= step;
	}
	return text ? text : "";
}
