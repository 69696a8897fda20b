/* Text from outside in another language: what the list has, what people would not see, what is no
 * text at all.
 * covers: escape.c utf8.c */
#include "tuner/base/escape.h"

#include <stdint.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

static const struct escape list[] = {{'<', "&lt;"}, {'\n', " "}, {'\r', ""}, {0, NULL}};

#define BAD "\xEF\xBF\xBD"

static void is(const char *text, size_t most, const char *want, const char *left, const char *name)
{
	struct buf b = {0};

	tap_str(escape_add(&b, text, most, list), left, "%s: the rest of the text is returned",
		name);
	tap_str(buf_str(&b), want, "%s", name);
	buf_fini(&b);
}

static void test_counting(void)
{
	tap_int(utf8_count(""), 0, "an empty text has no characters");
	tap_int(utf8_count("a\xC3\xA4\xF0\x9F\x98\x80"), 3,
		"characters of 1, 2 and 4 bytes count once each");
	tap_int(utf8_count("\xFF\xE4\xBD"), 3, "a byte that begins no character counts as one");
}

static void test_line_quote(void)
{
	tap_str(escape_line_quote("::error::x"), "\"", "a command of a CI runner is quoted");
	tap_str(escape_line_quote(" ::error::x"), "\"",
		"a command of a CI runner behind blanks is quoted");
	tap_str(escape_line_quote("row"), "", "a name is not quoted");
	tap_str(escape_line_quote("./a"), "", "a path is not quoted");
}

int main(void)
{
	test_line_quote();
	is(NULL, SIZE_MAX, "", "", "no text: nothing is written");
	is("a<b>\r\n\t", SIZE_MAX, "a&lt;b> \t", "", "characters of the list are replaced");
	is("<<<<", 3, "&lt;&lt;&lt;", "<", "no more than three characters are taken");
	is("\xC3\xA4\xC3\xA4", 1, "\xC3\xA4", "\xC3\xA4",
	   "a character is taken whole or not at all");
	is("\xE4\xBD\xA0\xF0\x9F\x98\x80", SIZE_MAX, "\xE4\xBD\xA0\xF0\x9F\x98\x80", "",
	   "characters of other scripts stay");
	is("\x01\x1b[\x7f", SIZE_MAX, BAD BAD "[" BAD, "", "control characters are replaced");
	is("\xC2\x85\xE2\x80\xAE\xE2\x80\xA8", SIZE_MAX, BAD BAD BAD, "",
	   "C1 controls and what turns a line or ends it are replaced");
	is("\xEF\xBF\xBE\xF0\x9F\xBF\xBF", SIZE_MAX, BAD BAD, "",
	   "code points that are no characters are replaced");
	is("\xFF|\xC0\xAF|\xED\xA0\x80", SIZE_MAX, BAD "|" BAD BAD "|" BAD BAD BAD, "",
	   "bytes that are no UTF-8 are replaced");
	test_counting();
	return tap_done();
}
