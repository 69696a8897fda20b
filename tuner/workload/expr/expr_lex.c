#include "tuner/workload/expr/expr_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/expr/expr_tree.h"

#define BLANKS " \t\r\n"

/* Longest first where one begins another. A sign with a refusal belongs to other languages. */
static const struct sign {
	const char *text;
	enum token_kind kind;
	const char *refusal;
} signs[] = {
	{"**", TOKEN_POW, NULL},
	{"//", TOKEN_FLOOR_DIV, NULL},
	{"==", TOKEN_EQ, NULL},
	{"!=", TOKEN_NE, NULL},
	{"<=", TOKEN_LE, NULL},
	{">=", TOKEN_GE, NULL},
	{"&&", TOKEN_END, "write 'and'"},
	{"||", TOKEN_END, "write 'or'"},
	{"<<", TOKEN_END, "there are no bit operators; write a * 2 ** b"},
	{">>", TOKEN_END, "there are no bit operators; write a // 2 ** b"},
	{"(", TOKEN_OPEN, NULL},
	{")", TOKEN_CLOSE, NULL},
	{"[", TOKEN_LIST_OPEN, NULL},
	{"]", TOKEN_LIST_CLOSE, NULL},
	{",", TOKEN_COMMA, NULL},
	{"+", TOKEN_ADD, NULL},
	{"-", TOKEN_SUB, NULL},
	{"*", TOKEN_MUL, NULL},
	{"/", TOKEN_DIV, NULL},
	{"%", TOKEN_MOD, NULL},
	{"<", TOKEN_LT, NULL},
	{">", TOKEN_GT, NULL},
	{"=", TOKEN_END, "write '==' to compare"},
	{"!", TOKEN_END, "write 'not'"},
	{"?", TOKEN_END, "write 'a if condition else b'"},
	{"&", TOKEN_END, "there are no bit operators"},
	{"|", TOKEN_END, "there are no bit operators"},
	{"^", TOKEN_END, "write '**' for powers"},
	{"~", TOKEN_END, "there are no bit operators"},
};

static const struct word {
	const char *text;
	enum token_kind kind;
	bool truth;
} words[] = {
	{"if", TOKEN_IF, false},      {"else", TOKEN_ELSE, false},    {"and", TOKEN_AND, false},
	{"or", TOKEN_OR, false},      {"not", TOKEN_NOT, false},      {"in", TOKEN_IN, false},
	{"True", TOKEN_NUMBER, true}, {"False", TOKEN_NUMBER, false},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

enum asc_status expr_fail(struct asc_err *e, size_t at, const char *format, ...)
{
	char text[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return asc_err_set(e, ASC_INPUT, "column %zu: %s", at + 1, text);
}

/* Characters of the user's text that a message repeats at most. */
enum { SHOWN = 40 };

static int shown(size_t n)
{
	return (int)(n < SHOWN ? n : SHOWN);
}

const char *expr_place(const char *text, const struct token *t, char place[TOKEN_PLACE_SIZE])
{
	/* A text that ends has nothing to be quoted. */
	if (t->kind == TOKEN_END)
		snprintf(place, TOKEN_PLACE_SIZE, " at the end");
	else
		snprintf(place, TOKEN_PLACE_SIZE, " before '%.*s'", shown(t->end - t->start),
			 text + t->start);
	return place;
}

static size_t skip_digits(const char *s)
{
	size_t n = 0;
	while (is_digit(s[n]))
		n++;
	return n;
}

/* Length of the number at s, which starts with a digit or a point and a digit. */
static size_t measure_number(const char *s, bool *real)
{
	size_t n = skip_digits(s);
	*real = s[n] == '.';
	if (*real)
		n += 1 + skip_digits(s + n + 1);
	if (s[n] == 'e' || s[n] == 'E') {
		/* 1e is no exponent: the letter stays, and lex_number() refuses the whole word. */
		size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
		size_t digits = skip_digits(s + n + 1 + sign);
		*real = *real || digits > 0;
		n += digits > 0 ? 1 + sign + digits : 0;
	}
	return n;
}

static enum asc_status lex_number(const char *text, struct token *t, struct asc_err *e)
{
	const char *s = text + t->start;
	bool real;
	size_t n = measure_number(s, &real);
	t->kind = TOKEN_NUMBER;
	t->end = t->start + n;
	/* 0x10, 1_000, 1.2.3: valid elsewhere, and wrong if read in parts. */
	if (is_word(s[n]) || s[n] == '.') {
		size_t bad = n;
		while (is_word(s[bad]) || s[bad] == '.')
			bad++;
		return expr_fail(e, t->start, "'%.*s' is not a decimal number", shown(bad), s);
	}
	/* Octal in C, an error in Python: refused rather than chosen. */
	if (!real && n > 1 && s[0] == '0')
		return expr_fail(e, t->start, "'%.*s': a number does not start with 0", shown(n),
				 s);
	if (!value_parse(s, n, &t->value))
		return expr_fail(e, t->start, "'%.*s' exceeds 64-bit %s", shown(n), s,
				 real ? "reals" : "integers");
	return ASC_OK;
}

static enum asc_status lex_name(const char *text, struct token *t, struct asc_err *e)
{
	const char *s = text + t->start;
	size_t n = 0;
	/* A point belongs to the name only in front of another name: device.threads. */
	while (is_word(s[n]) || (s[n] == '.' && is_word(s[n + 1]) && !is_digit(s[n + 1])))
		n++;
	t->end = t->start + n;
	t->kind = TOKEN_NAME;
	if (s[n] == '.')
		return expr_fail(e, t->end, "expected a name after '.'");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].text) == n && memcmp(s, words[i].text, n) == 0) {
			t->kind = words[i].kind;
			t->value = value_bool(words[i].truth);
		}
	return ASC_OK;
}

static enum asc_status lex_sign(const char *text, struct token *t, struct asc_err *e)
{
	const char *s = text + t->start;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t n = strlen(signs[i].text);
		/* The table has longer signs first. */
		if (strncmp(s, signs[i].text, n) != 0)
			continue;
		t->kind = signs[i].kind;
		t->end = t->start + n;
		return signs[i].refusal ? expr_fail(e, t->start, "unexpected %s: %s", signs[i].text,
						    signs[i].refusal)
					: ASC_OK;
	}
	unsigned char c = (unsigned char)s[0];
	/* A control character must not reach a terminal. */
	if (c < 0x20 || c == 0x7f)
		return expr_fail(e, t->start, "unexpected control character 0x%02X", c);
	int n = 1; /* the whole of a UTF-8 character */
	while (n < 4 && ((unsigned char)s[n] & 0xC0) == 0x80)
		n++;
	return expr_fail(e, t->start, "unexpected '%.*s'", n, s);
}

/* Reads a text between quotes, which may be single or double. */
static enum asc_status lex_text(const char *text, struct token *t, struct asc_err *e)
{
	const char *s = text + t->start + 1;
	const size_t n = strcspn(s, text[t->start] == '"' ? "\"" : "'");

	if (s[n] == '\0')
		return expr_fail(e, t->start, "a text without its end");
	if (!value_text_check(s, n))
		return expr_fail(e, t->start, "a text is " VALUE_TEXT_RULE);
	t->kind = TOKEN_NUMBER;
	t->end = t->start + n + 2;
	return value_text_add(s, n, &t->value) ? ASC_OK : asc_err_nomem(e);
}

enum asc_status expr_lex(const char *text, size_t at, struct token *out, struct asc_err *e)
{
	at += strspn(text + at, BLANKS);
	*out = (struct token){.kind = TOKEN_END, .start = at, .end = at};
	char c = text[at];
	if (c == '\0')
		return ASC_OK;
	/* Before names, since digits are characters of words as well. */
	if (is_digit(c) || (c == '.' && is_digit(text[at + 1])))
		return lex_number(text, out, e);
	if (c == '\'' || c == '"')
		return lex_text(text, out, e);
	if (is_word(c))
		return lex_name(text, out, e);
	return lex_sign(text, out, e);
}

/* ---- one name in the place of another ---- */

enum asc_status expr_replace(const char *text, const char *name, const char *with, char **out,
			     struct asc_err *e)
{
	struct buf b = {0};
	struct token t = {0};
	const size_t n = strlen(name);
	size_t at = 0;

	do {
		/* By tokens: `X` must not be replaced within `X_Y`, `a.X` or a text. */
		if (expr_lex(text, at, &t, e)) {
			buf_fini(&b);
			return e->status;
		}
		buf_add(&b, text + at, t.start - at);
		/* A name before a parenthesis is that of a function. */
		if (t.kind == TOKEN_NAME && t.end - t.start == n &&
		    memcmp(text + t.start, name, n) == 0 &&
		    text[t.end + strspn(text + t.end, BLANKS)] != '(')
			buf_add_str(&b, with);
		else
			buf_add(&b, text + t.start, t.end - t.start);
		at = t.end;
	} while (t.kind != TOKEN_END);
	*out = buf_take(&b);
	return *out ? ASC_OK : asc_err_nomem(e);
}
