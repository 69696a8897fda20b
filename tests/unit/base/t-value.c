/* Numbers: equality across kinds, text and back.
 * covers: value.c */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/value.h"

static void test_equal(void)
{
	const int64_t large = INT64_C(9007199254740993); /* 2^53 + 1: no double */
	tap_ok(value_equal(value_int(1), value_real(1)), "1 == 1.0");
	tap_ok(value_equal(value_bool(true), value_int(1)), "true == 1");
	tap_ok(value_equal(value_real(0), value_bool(false)), "0.0 == false");
	tap_ok(!value_equal(value_int(1), value_real(1.5)), "1 != 1.5");
	tap_ok(!value_equal(value_int(large), value_real((double)large)), "2^53+1 != 2.0^53");
	tap_ok(value_equal(value_int(INT64_MIN), value_real(-0x1p63)), "-2^63 == -2.0^63");
	tap_ok(!value_equal(value_int(INT64_MAX), value_real(0x1p63)), "2^63-1 != 2.0^63");
	tap_ok(!value_equal(value_real(NAN), value_real(NAN)), "nan != nan");
	tap_ok(!value_equal(value_int(0), value_real(NAN)), "0 != nan");
	tap_real(value_as_real(value_bool(true)), 1, 0, "true as a real");
	tap_ok(value_truth(value_real(0.5)) && !value_truth(value_int(0)), "truth");
}

static void test_order(void)
{
	const int64_t large = INT64_C(9007199254740993); /* 2^53 + 1: no double */
	tap_int(value_order(value_int(-2), value_real(-1.5)), -1, "-2 < -1.5");
	tap_int(value_order(value_real(-1.5), value_int(-2)), 1, "-1.5 > -2");
	tap_int(value_order(value_int(large), value_real((double)large)), 1, "2^53+1 > 2.0^53");
	tap_int(value_order(value_int(INT64_MAX), value_real(0x1p63)), -1, "2^63-1 < 2.0^63");
	tap_int(value_order(value_real(-INFINITY), value_int(INT64_MIN)), -1, "-inf < -2^63");
	tap_int(value_order(value_bool(true), value_real(1)), 0, "true as 1.0");
	tap_int(value_order(value_int(0), value_real(NAN)), 2, "0 and nan: no order");
	tap_int(value_order(value_real(NAN), value_int(0)), 2, "nor the other way round");
}

static struct value text_of(const char *text)
{
	struct value v = value_int(0);

	tap_ok(value_text_check(text, strlen(text)) && value_text_add(text, strlen(text), &v),
	       "%s is a text", text);
	return v;
}

static void test_texts(void)
{
	static const char *const bad[] = {"",
					  " a",
					  "a ",
					  "a,b",
					  "a=b",
					  "'a'",
					  "a\"",
					  "a\\b",
					  "12",
					  "-1.5",
					  "true",
					  "True",
					  "1e3",
					  "a\n",
					  "\xc3\xa4",
					  ("0123456789012345678901234567890123456789"
					   "012345678901234567890")};
	struct value a = text_of("half"), b = text_of("float"), again = text_of("half"), v;
	char text[64];

	tap_int(a.kind, VALUE_TEXT, "its kind");
	tap_ok(value_equal(a, again) && a.i == again.i, "the same text is the same value");
	tap_ok(!value_equal(a, b), "another is not");
	tap_int(value_order(a, b), 1, "in the order of bytes");
	tap_int(value_order(b, a), -1, "either way");
	tap_int(value_order(a, value_int(7)), 1, "after numbers");
	tap_int(value_order(value_real(7), a), -1, "either way");
	tap_ok(isnan(value_as_real(a)), "it is no number");
	tap_ok(value_truth(a), "it is true");
	tap_int(value_print(a, text, sizeof text), 4, "printed");
	tap_str(text, "half", "as it is");
	tap_ok(value_text_find("half", 4, &v) && value_equal(v, a), "known");
	tap_ok(!value_text_find("halve", 5, &v), "not known");
	tap_ok(value_text_find("float4", 5, &v) && value_equal(v, b), "by its length");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!value_text_check(bad[i], strlen(bad[i])), "\"%s\" is none", bad[i]);
}

static void test_print(void)
{
	static const struct {
		struct value value;
		const char *text;
	} cases[] = {
		{{VALUE_INT, {.i = INT64_MIN}}, "-9223372036854775808"},
		{{VALUE_INT, {.i = INT64_MAX}}, "9223372036854775807"},
		{{VALUE_INT, {.i = -7}}, "-7"},
		{{VALUE_INT, {.i = 0}}, "0"},
		{{VALUE_INT, {.i = 64}}, "64"},
		{{VALUE_REAL, {.r = 0.25}}, "0.25"},
		{{VALUE_REAL, {.r = 20012.75}}, "20012.75"},
		{{VALUE_REAL, {.r = -1.5}}, "-1.5"},
		{{VALUE_REAL, {.r = 9999999999999.75}}, "9999999999999.75"},
		{{VALUE_REAL, {.r = 10000000000000.25}}, "10000000000000.25"},
		{{VALUE_BOOL, {.i = 1}}, "true"},
		{{VALUE_BOOL, {.i = 0}}, "false"},
		{{VALUE_REAL, {.r = 1}}, "1.0"},
		{{VALUE_REAL, {.r = -0.0}}, "-0.0"},
		{{VALUE_REAL, {.r = 0.1}}, "0.1"},
		{{VALUE_REAL, {.r = 1e30}}, "1e+30"},
		{{VALUE_REAL, {.r = 1.0 / 3}}, "0.3333333333333333"},
		{{VALUE_REAL, {.r = 0.1 + 0.2}}, "0.30000000000000004"},
		{{VALUE_REAL, {.r = 123456789012.0}}, "123456789012.0"},
		{{VALUE_REAL, {.r = DBL_MAX}}, "1.7976931348623157e+308"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64];
		struct value back;
		int n = value_print(cases[i].value, text, sizeof text);
		tap_str(text, cases[i].text, "print %s", cases[i].text);
		tap_int(n, strlen(cases[i].text), "print %s: length", cases[i].text);
		tap_ok(value_parse(text, (size_t)n, &back) && back.kind == cases[i].value.kind &&
			       value_equal(back, cases[i].value),
		       "print %s: reads back", cases[i].text);
	}
	char tiny[4];
	tap_int(value_print(value_int(123456), tiny, sizeof tiny), 6, "print: length when cut");
	tap_str(tiny, "123", "print: cut");
}

static void test_parse(void)
{
	static const char *const bad[] = {"",
					  "-",
					  ".",
					  "e5",
					  "1e",
					  "1 ",
					  " 1",
					  "+1",
					  "0x1",
					  "inf",
					  "nan",
					  "1e999",
					  "1,5",
					  "--1",
					  "-+1",
					  "1.2.3",
					  "TRUE",
					  "truE",
					  "1true",
					  "9223372036854775808",
					  "-9223372036854775809"};
	struct value v;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!value_parse(bad[i], strlen(bad[i]), &v), "parse refuses '%s'", bad[i]);
	tap_ok(!value_parse("1\0002", 3, &v), "parse refuses a NUL inside");
	char digits[1000];
	memset(digits, '1', sizeof digits);
	tap_ok(!value_parse(digits, sizeof digits, &v), "parse refuses a thousand digits");
	tap_ok(value_parse("64,128", 2, &v) && v.kind == VALUE_INT && v.i == 64,
	       "parse stops at the length given");
	tap_ok(value_parse("-9223372036854775808", 20, &v) && v.i == INT64_MIN, "parse -2^63");
	tap_ok(value_parse("True", 4, &v) && v.kind == VALUE_BOOL && v.i == 1, "parse True");
	tap_ok(value_parse("False", 5, &v) && v.kind == VALUE_BOOL && v.i == 0, "parse False");
	tap_ok(value_parse("2.5e-3", 6, &v) && v.kind == VALUE_REAL && v.r == 2.5e-3,
	       "parse 2.5e-3");
	tap_ok(value_parse("1e3", 3, &v) && v.kind == VALUE_REAL && v.r == 1000, "1e3 is a real");
}

static void test_locale(void)
{
	struct value v;
	char text[64];
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		tap_skip("locale de_DE.UTF-8 is not installed");
		return;
	}
	value_print(value_real(0.5), text, sizeof text);
	tap_str(text, "0.5", "locale with a decimal comma: print");
	tap_ok(value_parse("0.5", 3, &v) && v.r == 0.5, "locale with a decimal comma: parse");
	setlocale(LC_ALL, "C");
}

int main(void)
{
	test_equal();
	test_order();
	test_texts();
	test_print();
	test_parse();
	test_locale();
	return tap_done();
}
