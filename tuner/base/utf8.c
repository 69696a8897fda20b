#include "tuner/base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Ranges of lead bytes with the length of their characters; the second byte's range excludes
 * overlong forms, surrogates and code points beyond U+10FFFF (Unicode 15, table 3-7). */
static const struct utf8_form {
	unsigned char first, last, second_first, second_last, len;
} utf8_forms[] = {
	{0x00, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
	{0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
	{0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool within(char c, unsigned char first, unsigned char last)
{
	return (unsigned char)c >= first && (unsigned char)c <= last;
}

static bool utf8_matches(const struct utf8_form *f, const char *s, size_t n)
{
	if (n < f->len || !within(s[0], f->first, f->last))
		return false;
	if (f->len > 1 && !within(s[1], f->second_first, f->second_last))
		return false;
	for (size_t i = 2; i < f->len; i++)
		if (!within(s[i], 0x80, 0xBF))
			return false;
	return true;
}

size_t utf8_len(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof utf8_forms / sizeof *utf8_forms; i++)
		if (utf8_matches(&utf8_forms[i], s, n))
			return utf8_forms[i].len;
	return 0;
}

bool utf8_is_text(const char *s, size_t n)
{
	static const uint32_t refused[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
					      {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
					      {0xFDD0, 0xFDEF}};
	static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07}; /* bits, by length */
	uint32_t c = n ? (unsigned char)s[0] & lead[n] : 0;

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3F);

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (c >= refused[i][0] && c <= refused[i][1])
			return false;
	return (c & 0xFFFE) != 0xFFFE; /* the last two of each plane are no characters */
}

size_t utf8_count(const char *text)
{
	size_t left = strlen(text), count = 0;

	for (; left > 0; count++) {
		size_t n = utf8_len(text, left), step = n ? n : 1;

		text += step;
		left -= step;
	}
	return count;
}

size_t utf8_cut(const char *text, size_t n, size_t max)
{
	if (n <= max)
		return n;
	while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80)
		max--;
	return max;
}
