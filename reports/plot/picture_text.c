#include "reports/plot/picture_text.h"

#include <stdint.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

static const char replacement[] = "\xEF\xBF\xBD";
static const double letter_width =
	7.2; /* pixels of a letter of 13, on the safe side of most fonts */

/* One character of `text` as it may be shown: *bytes are taken of the text, *size given back. */
static const char *next_clean(const char *text, size_t left, size_t *bytes, size_t *size)
{
	size_t n = utf8_len(text, left);

	*bytes = n ? n : 1;
	*size = n;
	if (n == 0 || (n > 1 && !utf8_is_text(text, n))) {
		*size = sizeof replacement - 1;
		return replacement;
	}
	return n == 1 && ((unsigned char)*text < 0x20 || *text == 0x7F) ? " " : text;
}

void picture_text_clean(struct buf *out, const char *text, size_t length)
{
	size_t left = text ? strlen(text) : 0, bytes, size;

	for (size_t shown = 1; left; shown++, text += bytes, left -= bytes) {
		const char *c = next_clean(text, left, &bytes, &size);
		if (shown == length && left > bytes) {
			buf_add_str(out, "…");
			return;
		}
		buf_add(out, c, size);
	}
}

void picture_text_escape(struct buf *out, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	size_t left = text ? strlen(text) : 0, bytes, size;

	for (; left; text += bytes, left -= bytes) {
		const char *c = next_clean(text, left, &bytes, &size);
		const char *found = size == 1 ? strchr(special, *c) : NULL;
		if (found)
			buf_add_str(out, entities[found - special]);
		else
			buf_add(out, c, size);
	}
}

size_t picture_text_length(const char *text)
{
	size_t n = 0;

	for (; text && *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

double picture_text_width(const char *text)
{
	double width = 0;

	for (; text && *text; text++)
		if (((unsigned char)*text & 0xC0) != 0x80)
			width += (unsigned char)*text >= 0xE3 ? 2 * letter_width : letter_width;
	return width;
}
