#include "reports/page/plot/picture_text.h"

#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/utf8.h"

static const double letter_width =
	7.2; /* pixels of a letter of 13, on the safe side of most fonts */

static const struct escape of_line[] = {{'\n', " "}, {'\r', " "}, {'\t', " "}, {0, NULL}};
static const struct escape of_markup[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
					  {'"', "&quot;"}, {'\'', "&#39;"}, {'\n', " "},
					  {'\r', " "},     {'\t', " "},     {0, NULL}};

void picture_text_clean(struct buf *out, const char *text, size_t length)
{
	const char *rest = escape_add(out, text, length - 1, of_line);

	if (utf8_count(rest) > 1)
		buf_add_str(out, "…");
	else
		(void)escape_add(out, rest, 1, of_line);
}

void picture_text_escape(struct buf *out, const char *text)
{
	(void)escape_add(out, text, SIZE_MAX, of_markup);
}

double picture_text_width(const char *text)
{
	double width = 0;

	for (; text && *text; text++)
		if (((unsigned char)*text & 0xC0) != 0x80)
			width += (unsigned char)*text >= 0xE3 ? 2 * letter_width : letter_width;
	return width;
}
