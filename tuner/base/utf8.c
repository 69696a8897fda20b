#include "tuner/base/utf8.h"

#include <stdbool.h>

/* One lead byte's range and length; the second byte's range is what keeps out overlong forms,
 * surrogates and what lies beyond U+10FFFF (Unicode 15, table 3-7). */
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
