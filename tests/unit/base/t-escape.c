/* Text from outside in another language: what the list has, what people would not see, what is no
 * text at all. */
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

	tap_str(escape_add(&b, text, most, list), left, "%s: what is left", name);
	tap_str(buf_str(&b), want, "%s", name);
	buf_fini(&b);
}

static void test_counting(void)
{
	tap_int(utf8_count(""), 0, "no characters");
	tap_int(utf8_count("a\xC3\xA4\xF0\x9F\x98\x80"), 3, "characters of 1, 2 and 4 bytes");
	tap_int(utf8_count("\xFF\xE4\xBD"), 3, "bytes that are none");
}

static void test_line_quote(void)
{
	tap_str(escape_line_quote("::error::x"), "\"", "a command of a CI runner is quoted");
	tap_str(escape_line_quote(" ::error::x"), "\"", "behind blanks, too");
	tap_str(escape_line_quote("row"), "", "a name is not");
	tap_str(escape_line_quote("./a"), "", "nor is a path");
}

int main(void)
{
	test_line_quote();
	is(NULL, SIZE_MAX, "", "", "none");
	is("a<b>\r\n\t", SIZE_MAX, "a&lt;b> \t", "", "the list");
	is("<<<<", 3, "&lt;&lt;&lt;", "<", "three characters");
	is("\xC3\xA4\xC3\xA4", 1, "\xC3\xA4", "\xC3\xA4", "whole characters");
	is("\xE4\xBD\xA0\xF0\x9F\x98\x80", SIZE_MAX, "\xE4\xBD\xA0\xF0\x9F\x98\x80", "",
	   "other scripts stay");
	is("\x01\x1b[\x7f", SIZE_MAX, BAD BAD "[" BAD, "", "controls");
	is("\xC2\x85\xE2\x80\xAE\xE2\x80\xA8", SIZE_MAX, BAD BAD BAD, "",
	   "C1 controls, what turns the direction, what ends a line");
	is("\xEF\xBF\xBE\xF0\x9F\xBF\xBF", SIZE_MAX, BAD BAD, "", "what is no character");
	is("\xFF|\xC0\xAF|\xED\xA0\x80", SIZE_MAX, BAD "|" BAD BAD "|" BAD BAD BAD, "",
	   "what is no UTF-8");
	test_counting();
	return tap_done();
}
