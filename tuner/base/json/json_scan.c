#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json/json_node.h"
#include "tuner/base/long_text.h"
#include "tuner/base/utf8.h"

/* The walk over a document's text before cJSON reads it. It looks at all of the grammar, for two
 * reasons. cJSON takes what is no JSON: text behind the value, blanks of any kind, "01" and "1."
 * as numbers, control characters, invalid UTF-8, \u0000, a depth of a thousand, and rounds
 * integers beyond 2^53. And where it refuses it has a place, but no reason: messages with line,
 * column, what was expected and what was meant are made here.
 *
 * Functions that pass over a part of the text return false with the error set. */
struct scan {
	const char *name, *text;
	size_t len, at;
	int depth;
	struct json_scanned *out;
	struct asc_err *e;
};

/* Classes of characters. */
enum { SCAN_LETTER = 1, SCAN_DIGIT = 2, SCAN_SIGN = 4 };

static int class_of(char c)
{
	if (c >= '0' && c <= '9')
		return SCAN_DIGIT;
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
		return SCAN_LETTER;
	return c == '+' || c == '-' || c == '.' ? SCAN_SIGN : 0;
}

enum {
	SCAN_SHOWN = 40,     /* at most this much of the text is repeated in a message */
	NUMBER_MAX_LEN = 63, /* cJSON's */
	EXACT_DIGITS = 16    /* of 2^53: integers with fewer are exact */
};

static int scan_peek(const struct scan *s)
{
	return s->at < s->len ? (unsigned char)s->text[s->at] : -1;
}

static bool scan_take(struct scan *s, char c)
{
	bool there = scan_peek(s) == c;
	s->at += there;
	return there;
}

static bool scan_fail(struct scan *s, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool scan_fail(struct scan *s, size_t at, const char *format, ...)
{
	char text[sizeof s->e->text];
	size_t line = 1, column = 1; /* counted when they are wanted: most texts have no fault */
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < at; i++) {
		/* Columns are characters, as editors count them. */
		bool first_byte = ((unsigned char)s->text[i] & 0xC0) != 0x80;
		column = s->text[i] == '\n' ? 1 : column + first_byte;
		line += s->text[i] == '\n';
	}
	asc_err_set(s->e, ASC_INPUT, "%s:%zu:%zu: %s", s->name, line, column, text);
	return false;
}

/* Number of characters of these classes from the present place on. */
static size_t scan_span(const struct scan *s, int classes)
{
	size_t n = 0;
	while (s->at + n < s->len && (class_of(s->text[s->at + n]) & classes))
		n++;
	return n;
}

/* ---- strings ---- */

/* The four digits of \uXXXX at byte `at`, or -1. */
static int hex_four(const struct scan *s, size_t at)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	int unit = 0;
	if (s->len - at < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		const char c = s->text[at + i], *d = c ? strchr(digits, c) : NULL;
		if (!d) /* NUL too, which strchr() would find */
			return -1;
		unit = unit * 16 + (int)((d - digits) % 16);
	}
	return unit;
}

static bool scan_unicode_escape(struct scan *s)
{
	size_t start = s->at - 2; /* of the backslash */
	int unit = hex_four(s, s->at);
	if (unit < 0)
		return scan_fail(s, start, "\\u needs four hexadecimal digits");
	if (unit == 0)
		return scan_fail(s, start, "\\u0000 cannot be part of a string");
	s->at += 4;
	if (unit < 0xD800 || unit > 0xDFFF) /* no part of a surrogate pair */
		return true;
	bool high = unit < 0xDC00;
	int low = high && scan_take(s, '\\') && scan_take(s, 'u') ? hex_four(s, s->at) : -1;
	if (low < 0xDC00 || low > 0xDFFF)
		return scan_fail(s, start, "\\u%04X is half of a surrogate pair", (unsigned)unit);
	s->at += 4;
	return true;
}

static bool scan_escape(struct scan *s)
{
	int c = scan_peek(s);
	s->at++;
	if (c == 'u')
		return scan_unicode_escape(s);
	if (c > 0 && strchr("\"\\/bfnrt", c))
		return true;
	return scan_fail(s, s->at - 2,
			 "a '\\' in a string stands before one of \" \\ / b f n r t u");
}

static bool scan_character(struct scan *s, int c)
{
	if (c == '\n' || c == '\r')
		return scan_fail(s, s->at,
				 "a string ends on its line (is a '\"' missing? write \\n)");
	if (c < 0x20)
		return scan_fail(s, s->at, "a control character in a string (write \\u%04X)",
				 (unsigned)c);
	if (c == '\\') {
		s->at++;
		return scan_escape(s);
	}
	size_t n = utf8_len(s->text + s->at, s->len - s->at);
	if (n == 0)
		return scan_fail(s, s->at, "the byte 0x%02X is not UTF-8", (unsigned)c);
	s->at += n;
	return true;
}

/* Passes over ASCII that stands for itself. */
static void skip_plain(struct scan *s)
{
	const char *c = s->text + s->at, *end = s->text + s->len;
	while (c < end && *c >= 0x20 && *c < 0x7F && *c != '"' && *c != '\\')
		c++;
	s->at = (size_t)(c - s->text);
}

static bool scan_string(struct scan *s)
{
	size_t start = s->at++;
	for (;;) {
		skip_plain(s);
		if (scan_take(s, '"'))
			return true;
		int c = scan_peek(s);
		if (c < 0)
			return scan_fail(s, start, "the string that starts here does not end");
		if (!scan_character(s, c))
			return false;
	}
}

/* ---- numbers and words ---- */

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

struct number_form {
	bool real, has_exponent;
};

/* Length of the number that JSON would read at the begin of a text that goes up to `end`; 0: none.
 */
static size_t number_len(const char *text, const char *end, struct number_form *form)
{
	const char *digits = text + (text < end && *text == '-');
	const char *at = digits < end && *digits == '0' ? digits + 1 : skip_digits(digits, end);
	if (at == digits)
		return 0;
	const char *whole = at;
	digits = at + 1;
	if (at < end && *at == '.' && skip_digits(digits, end) > digits)
		at = skip_digits(digits, end);
	if (at < end && (*at == 'e' || *at == 'E')) {
		digits = at + 1 + (end - at > 1 && (at[1] == '+' || at[1] == '-'));
		if (skip_digits(digits, end) > digits)
			at = skip_digits(digits, end);
		form->has_exponent = true;
	}
	form->real = at > whole;
	return (size_t)(at - text);
}

static bool is_beyond(const char *text, size_t n)
{
	static const long long most = 1LL << 53;
	char copy[NUMBER_MAX_LEN + 1] = {0};
	if (n < EXACT_DIGITS)
		return false;
	memcpy(copy, text, n);
	errno = 0;
	long long i = strtoll(copy, NULL, 10);
	return errno != 0 || i > most || i < -most;
}

static bool scan_number(struct scan *s)
{
	struct number_form form = {0};
	struct value v;
	const char *text = s->text + s->at;
	size_t n = number_len(text, s->text + s->len, &form);
	s->at += n;
	const size_t rest = scan_span(s, SCAN_LETTER | SCAN_DIGIT | SCAN_SIGN);
	s->at -= n;
	n += rest;
	if (n > NUMBER_MAX_LEN)
		return scan_fail(s, s->at, "a number of more than %d characters", NUMBER_MAX_LEN);
	if (rest > 0 || n == 0)
		return scan_fail(s, s->at, "'%.*s' is not a number as JSON writes them", (int)n,
				 text);
	/* Without an exponent, 63 digits are within a double's range. */
	if (form.has_exponent && !value_parse(text, n, &v))
		return scan_fail(s, s->at, "\"%.*s\" is too large for a 64-bit real", (int)n, text);
	enum json_number kind = JSON_NUMBER_REAL;
	if (!form.real)
		kind = is_beyond(text, n) ? JSON_NUMBER_BEYOND : JSON_NUMBER_INT;
	buf_add_char(&s->out->numbers, (char)kind);
	s->at += n;
	return true;
}

static bool scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null", NULL};
	char word[SCAN_SHOWN + 1];
	size_t n = scan_span(s, SCAN_LETTER | SCAN_DIGIT);
	(void)snprintf(word, sizeof word, "%.*s", (int)(n < SCAN_SHOWN ? n : SCAN_SHOWN),
		       s->text + s->at);
	if (str_is_in(word, words)) {
		s->at += n;
		return true;
	}
	const char *near = str_nearest(word, words);
	return near ? scan_fail(s, s->at, "\"%s\" is no value (did you mean %s?)", word, near)
		    : scan_fail(s, s->at, "\"%s\" is no value (strings are in double quotes)",
				word);
}

/* ---- arrays and objects ---- */

static bool scan_value(struct scan *s);

/* "EXPECTED, found WHAT" about the present place. */
static bool fail_found(struct scan *s, const char *expected)
{
	size_t n = scan_span(s, SCAN_LETTER | SCAN_DIGIT);
	int c = scan_peek(s);
	if (c < 0)
		return scan_fail(s, s->at, "%s, found the end of the text", expected);
	if (n > 0)
		return scan_fail(s, s->at, "%s, found '%.*s'", expected,
				 (int)(n < SCAN_SHOWN ? n : SCAN_SHOWN), s->text + s->at);
	n = utf8_len(s->text + s->at, s->len - s->at);
	if (n == 0 || c < 0x20)
		return scan_fail(s, s->at, "%s, found the byte 0x%02X", expected, (unsigned)c);
	return scan_fail(s, s->at, "%s, found '%.*s'", expected, (int)n, s->text + s->at);
}

static void skip_blanks(struct scan *s)
{
	size_t at = s->at;
	while (at < s->len && (s->text[at] == ' ' || s->text[at] == '\n' || s->text[at] == '\t' ||
			       s->text[at] == '\r'))
		at++;
	s->at = at;
}

static bool scan_member(struct scan *s)
{
	skip_blanks(s);
	if (scan_peek(s) != '"')
		return fail_found(s, "expected a key in double quotes");
	if (!scan_string(s))
		return false;
	skip_blanks(s);
	return scan_take(s, ':') ? scan_value(s) : fail_found(s, "expected ':' after a key");
}

static bool add_list(struct scan *s)
{
	struct json_scanned *o = s->out;
	if (!array_room(&o->lists, o->n_lists, &o->lists_room, sizeof *o->lists)) {
		asc_err_nomem(s->e);
		return false;
	}
	o->lists[o->n_lists++] = (struct json_list){.open = (uint32_t)s->at, .first = o->n_rows};
	return true;
}

/* Scans an element of a list as a row. */
static bool scan_row(struct scan *s)
{
	struct json_scanned *o = s->out;
	struct json_row row = {.at = (uint32_t)s->at, .number = (uint32_t)o->numbers.len};
	const size_t values = o->n_values;
	if (!scan_value(s))
		return false;
	row.len = (uint32_t)s->at - row.at;
	row.n_values = (uint32_t)(o->n_values - values);
	if (!array_room(&o->rows, o->n_rows, &o->rows_room, sizeof *o->rows)) {
		asc_err_nomem(s->e);
		return false;
	}
	o->rows[o->n_rows++] = row;
	if (o->text)
		long_text_reach(o->text, s->at);
	o->lists[o->n_lists - 1].n++;
	return true;
}

/* Scans items up to `close`. `expected` is for the place after one. */
static bool scan_items(struct scan *s, char close, bool (*item)(struct scan *s),
		       const char *expected)
{
	/* Readers call themselves for what is inside: a limit keeps their stack. */
	if (++s->depth > JSON_MAX_DEPTH)
		return scan_fail(s, s->at, "nested deeper than %d levels", JSON_MAX_DEPTH);
	s->at++;
	skip_blanks(s);
	for (bool more = !scan_take(s, close); more; more = !scan_take(s, close)) {
		if (!item(s))
			return false;
		skip_blanks(s);
		if (scan_peek(s) == close)
			continue;
		size_t comma = s->at;
		if (!scan_take(s, ','))
			return fail_found(s, expected);
		skip_blanks(s);
		if (scan_peek(s) == close)
			return scan_fail(s, comma, "no ',' may stand before '%c'", close);
	}
	s->depth--;
	return true;
}

static bool scan_array(struct scan *s)
{
	static const char expected[] = "expected ',' or ']'";
	if (!s->out->finds_rows || s->depth != 1)
		return scan_items(s, ']', scan_value, expected);
	if (!add_list(s) || !scan_items(s, ']', scan_row, expected))
		return false;
	s->out->lists[s->out->n_lists - 1].close = (uint32_t)s->at - 1;
	return true;
}

static bool scan_value(struct scan *s)
{
	skip_blanks(s);
	/* Rows are made of one at a time. */
	if (++s->out->n_values > JSON_MAX_VALUES && !s->out->finds_rows) {
		asc_err_set(s->e, ASC_LIMIT, "%s: more than %d values", s->name, JSON_MAX_VALUES);
		return false;
	}
	int c = scan_peek(s);
	if (c == '{')
		return scan_items(s, '}', scan_member, "expected ',' or '}'");
	if (c == '[')
		return scan_array(s);
	if (c == '"')
		return scan_string(s);
	if (c == '\'')
		return scan_fail(s, s->at, "strings are in double quotes");
	if (c == '/' || c == '#')
		return scan_fail(s, s->at, "there are no comments in JSON");
	const int class = c < 0 ? 0 : class_of((char)c);
	if (class == SCAN_LETTER)
		return scan_word(s);
	return class ? scan_number(s) : fail_found(s, "expected a value");
}

void json_scanned_fini(struct json_scanned *s)
{
	buf_fini(&s->numbers);
	free(s->lists);
	free(s->rows);
}

enum asc_status json_scan(const char *name, const char *text, size_t len, struct json_scanned *out,
			  struct asc_err *e)
{
	struct scan s = {.name = name, .text = text, .len = len, .out = out, .e = e};
	skip_blanks(&s);
	if (s.at == len)
		return asc_err_set(e, ASC_INPUT, "%s: the text is empty", name);
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		return asc_err_set(e, ASC_INPUT, "%s:1:1: starts with a byte-order mark", name);
	if (!scan_value(&s))
		return e->status;
	skip_blanks(&s);
	if (s.at < len)
		fail_found(&s, "expected the end of the text");
	return s.at < len ? e->status : buf_check(&out->numbers, e);
}
