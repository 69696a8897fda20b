#include "tuner/base/columns.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "tuner/base/buf.h"

enum { MAX_MARKS = 4 /* marks without a width of their own, on one character */ };

struct glyph {
	const char *shown;
	size_t bytes; /* of `shown` */
	size_t taken; /* of the text */
	size_t width;
};

/* Locale in which characters are classified: made once, for as long as the program runs. 0 where
 * there is none. */
static locale_t utf8_locale(void)
{
	static locale_t locale;

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return locale;
}

/* True for formatting characters of Unicode 15 that change the text around them or are invisible.
 */
static bool is_hidden(wchar_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0x00AD, 0x00AD},   {0x061C, 0x061C},   {0x115F, 0x1160}, {0x180E, 0x180E},
		      {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F}, {0x3164, 0x3164},
		      {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF9, 0xFFFB}, {0x1BCA0, 0x1BCA3},
		      {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xFE00, 0xFE0F}};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if ((uint32_t)c >= ranges[i].first && (uint32_t)c <= ranges[i].last)
			return true;
	return false;
}

/* Glyph of the next character, within utf8_locale(). `marks` counts the marks since the last
 * character with a width. */
static struct glyph next_glyph(const char *text, bool utf8, size_t *marks)
{
	struct glyph g = {"?", 1, 1, 1};
	mbstate_t state = {0};
	wchar_t c = 0;
	size_t n = mbrtowc(&c, text, strlen(text), &state);

	if (n == (size_t)-1 || n == (size_t)-2 || n == 0)
		return g;
	g.taken = n;
	int width = wcwidth(c);

	*marks = width == 0 ? *marks + 1 : 0;
	if (width < 0 || is_hidden(c) || *marks > MAX_MARKS || (n > 1 && !utf8))
		return g;
	g.shown = text;
	g.bytes = n;
	g.width = (size_t)width;
	return g;
}

/* Writes at most `most` columns to `out` (NULL: nowhere); *whole: that was the whole text. */
static size_t take(struct buf *out, const char *text, size_t most, bool utf8, bool *whole)
{
	locale_t locale = utf8_locale(), before = uselocale(locale);
	size_t used = 0, marks = 0;

	*whole = true;
	while (*text && *whole) {
		struct glyph g = next_glyph(text, utf8 && locale, &marks);

		*whole = used + g.width <= most;
		if (!*whole)
			break;
		if (out)
			buf_add(out, g.shown, g.bytes);
		used += g.width;
		text += g.taken;
	}
	uselocale(before);
	return used;
}

size_t columns_count(const char *text)
{
	bool whole;

	return take(NULL, text, SIZE_MAX, true, &whole);
}

size_t columns_add(struct buf *out, const char *text, size_t most, bool utf8)
{
	const char *ellipsis = utf8 ? "…" : "...";
	size_t width = utf8 ? 1 : 3;
	bool whole;

	take(NULL, text, most, utf8, &whole);
	if (whole || most < width)
		return take(out, text, most, utf8, &whole);
	size_t used = take(out, text, most - width, utf8, &whole);

	buf_add_str(out, ellipsis);
	return used + width;
}

bool columns_utf8_wanted(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool wanted = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

	if (locale)
		freelocale(locale);
	return wanted && utf8_locale();
}
