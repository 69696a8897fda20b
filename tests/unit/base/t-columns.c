/* Text on a screen. Widths are those of Unicode 15 (EastAsianWidth.txt,
 * DerivedGeneralCategory.txt).
 * covers: columns.c */
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"

static struct buf out;

static const char *cut(const char *text, size_t most, bool utf8)
{
	buf_clear(&out);
	columns_add(&out, text, most, utf8);
	return buf_str(&out);
}

static const struct {
	const char *text;
	size_t width;
	const char *shown, *ascii;
} cases[] = {
	{"", 0, "", ""},
	{"axpy/small", 10, "axpy/small", "axpy/small"},
	{"caf\xc3\xa9", 4, "caf\xc3\xa9", "caf?"},
	{"\xe4\xb8\xad\xe6\x96\x87", 4, "\xe4\xb8\xad\xe6\x96\x87", "??"},
	{"e\xcc\x81", 1, "e\xcc\x81", "e?"},
	{"a\033[31mb", 7, "a?[31mb", "a?[31mb"},
	{"a\nb\tc\rd", 7, "a?b?c?d", "a?b?c?d"},
	{"a\xc2\x9b"
	 "31m",
	 5, "a?31m", "a?31m"},
	{"a\xe2\x80\xae"
	 "b",
	 3, "a?b", "a?b"},
	{"\xe2\x81\xa6x\xe2\x80\x8b", 3, "?x?", "?x?"},
	{"\xff\xc3", 2, "??", "??"},
	{"\xed\xa0\x80", 3, "???", "???"},
	{"x\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 2, "x\xcc\x81\xcc\x81\xcc\x81\xcc\x81?",
	 "x?????"},
};

static void test_text(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(columns_count(cases[i].text), cases[i].width, "width of case %zu", i);
		tap_str(cut(cases[i].text, 100, true), cases[i].shown, "shown, case %zu", i);
		tap_str(cut(cases[i].text, 100, false), cases[i].ascii, "in ASCII, case %zu", i);
	}
}

static void test_cutting(void)
{
	tap_str(cut("abcdef", 6, true), "abcdef", "what fits is whole");
	tap_str(cut("abcdef", 5, true), "abcd\xe2\x80\xa6", "what does not ends in an ellipsis");
	tap_str(cut("abcdef", 5, false), "ab...", "in ASCII it has three columns");
	tap_str(cut("abcdef", 2, false), "ab", "without room for it there is none");
	tap_str(cut("abcdef", 0, true), "", "nothing in no columns");
	tap_str(cut("\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 5, true),
		"\xe4\xb8\xad\xe6\x96\x87\xe2\x80\xa6", "wide characters are not halved");
	tap_str(cut("\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 4, true), "\xe4\xb8\xad\xe2\x80\xa6",
		"a column may stay empty");
	tap_int(columns_add(&out, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 4, true), 3,
		"and is not counted");
}

/* Every byte string of two bytes: never wider than asked for, and nothing that a terminal obeys. */
static void test_bytes(void)
{
	int bad = 0;

	for (int i = 1; i < 0x10000; i++) {
		const char text[] = {'x', (char)(i >> 8 ? i >> 8 : 'y'),
				     (char)(i & 0xff ? i & 0xff : 'z'), 0};

		buf_clear(&out);
		if (columns_add(&out, text, 2, true) > 2)
			bad++;
		for (size_t k = 0; k < out.len; k++)
			bad += (unsigned char)out.data[k] < ' ' || out.data[k] == 0x7f;
	}
	tap_int(bad, 0, "no pair of bytes is obeyed");
}

int main(void)
{
	test_text();
	test_cutting();
	test_bytes();
	buf_fini(&out);
	return tap_done();
}
