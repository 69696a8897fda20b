#include "tuner/base/value.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX_LEN = 400 }; /* all digits of the largest double are 309 */

static const double two_63 = 9223372036854775808.0;

struct value value_int(int64_t i)
{
	return (struct value){.kind = VALUE_INT, .i = i};
}

struct value value_real(double r)
{
	return (struct value){.kind = VALUE_REAL, .r = r};
}

struct value value_bool(bool b)
{
	return (struct value){.kind = VALUE_BOOL, .i = b};
}

double value_as_real(struct value v)
{
	if (v.kind == VALUE_TEXT)
		return NAN;
	return v.kind == VALUE_REAL ? v.r : (double)v.i;
}

bool value_truth(struct value v)
{
	return v.kind == VALUE_TEXT || (v.kind == VALUE_REAL ? v.r != 0 : v.i != 0);
}

/* Compares as integers: the conversion of a large integer to double would round. */
static int order_int_real(int64_t i, double r)
{
	if (isnan(r))
		return 2;
	if (r >= two_63)
		return -1;
	if (r < -two_63)
		return 1;
	int64_t whole = (int64_t)r;
	if (i != whole)
		return i < whole ? -1 : 1;
	double fraction = r - (double)whole;
	return (fraction < 0) - (fraction > 0);
}

static int order_texts(struct value a, struct value b)
{
	if (a.kind != b.kind)
		return a.kind == VALUE_TEXT ? 1 : -1;
	const int order = strcmp(value_text_get(a), value_text_get(b));

	return (order > 0) - (order < 0);
}

int value_order(struct value a, struct value b)
{
	if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
		return order_texts(a, b);
	if (a.kind == VALUE_REAL && b.kind == VALUE_REAL)
		return isunordered(a.r, b.r) ? 2 : (a.r > b.r) - (a.r < b.r);
	if (b.kind == VALUE_REAL)
		return order_int_real(a.i, b.r);
	if (a.kind != VALUE_REAL)
		return (a.i > b.i) - (a.i < b.i);
	int reverse = order_int_real(b.i, a.r);
	return reverse == 2 ? 2 : -reverse;
}

bool value_equal(struct value a, struct value b)
{
	return value_order(a, b) == 0;
}

/* Sets the C locale for this thread, whatever the program has set. */
static locale_t locale_enter(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static int real_print(double r, char *text, size_t size)
{
	char digits[40];
	locale_t before = locale_enter();
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(digits, sizeof digits, "%.*g", precision, r);
		if (strtod(digits, NULL) == r)
			break;
	}
	uselocale(before);
	bool integral = isfinite(r) && !strpbrk(digits, ".e");
	return snprintf(text, size, "%s%s", digits, integral ? ".0" : "");
}

int value_print(struct value v, char *text, size_t size)
{
	switch (v.kind) {
	case VALUE_REAL: return real_print(v.r, text, size);
	case VALUE_BOOL: return snprintf(text, size, "%s", v.i ? "true" : "false");
	case VALUE_TEXT: return snprintf(text, size, "%s", value_text_get(v));
	case VALUE_INT: break;
	}
	return snprintf(text, size, "%lld", (long long)v.i);
}

static bool parse_int(const char *digits, struct value *out)
{
	errno = 0;
	long long i = strtoll(digits, NULL, 10);
	*out = value_int(i);
	return errno == 0;
}

static bool parse_real(const char *digits, struct value *out)
{
	char *end;
	locale_t before = locale_enter();
	double r = strtod(digits, &end);
	uselocale(before);
	*out = value_real(r);
	return *end == '\0' && isfinite(r);
}

/* Passes only digits, point, exponent and signs to strtod(), which would also take hexadecimal
 * numbers, `inf`, and leading blanks. */
bool value_parse(const char *text, size_t len, struct value *out)
{
	static const struct {
		const char *name;
		bool truth;
	} names[] = {{"true", true}, {"True", true}, {"false", false}, {"False", false}};
	char digits[NUMBER_MAX_LEN + 1];
	if (len == 0 || len > NUMBER_MAX_LEN)
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(digits, names[i].name) == 0) {
			*out = value_bool(names[i].truth);
			return true;
		}
	}
	const char *first = digits + (digits[0] == '-');
	if (*first == '+' || strspn(digits, "0123456789.eE+-") != len)
		return false;
	bool integral = *first && strspn(first, "0123456789") == strlen(first);
	return integral ? parse_int(digits, out) : parse_real(digits, out);
}
