#include "tuner/base/json_scan.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

static bool scan_value(struct scan *s);

/* "EXPECTED, found WHAT" about the present place. */
static bool fail_found(struct scan *s, const char *expected)
{
	size_t n = scan_span(s, SCAN_LETTERS SCAN_DIGITS);
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
	s->at += scan_span(s, " \t\r\n");
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

/* `expected` is for the place after an item. */
static bool scan_items(struct scan *s, char close, bool (*item)(struct scan *s),
		       const char *expected)
{
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

static bool scan_value(struct scan *s)
{
	skip_blanks(s);
	++*s->n_values;
	int c = scan_peek(s);
	if (c == '{')
		return scan_items(s, '}', scan_member, "expected ',' or '}'");
	if (c == '[')
		return scan_items(s, ']', scan_value, "expected ',' or ']'");
	if (c == '"')
		return scan_string(s);
	if (c == '\'')
		return scan_fail(s, s->at, "strings are in double quotes");
	if (c == '/' || c == '#')
		return scan_fail(s, s->at, "there are no comments in JSON");
	if (scan_span(s, SCAN_LETTERS))
		return scan_word(s);
	return scan_span(s, SCAN_DIGITS "+-.") ? scan_number(s) : fail_found(s, "expected a value");
}

enum asc_status json_scan(const char *name, const char *text, size_t len, struct buf *numbers,
			  size_t *n_values, struct asc_err *e)
{
	struct scan s = {.name = name,
			 .text = text,
			 .len = len,
			 .numbers = numbers,
			 .n_values = n_values,
			 .e = e};
	*n_values = 0;
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
	return s.at < len ? e->status : buf_check(numbers, e);
}
