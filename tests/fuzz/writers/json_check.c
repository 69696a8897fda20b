/* A JSON text by RFC 8259: one value, with strings of UTF-8 in which nothing stands but characters
 * and escapes. */
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

enum { MAX_DEPTH = 32 };

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* One character of more than a byte; NULL: it is cut, or longer than it need be. */
static const char *take_wide(const char *at)
{
	const unsigned char *c = (const unsigned char *)at;
	const int n = c[0] >= 0xF0 ? 3 : c[0] >= 0xE0 ? 2 : 1;

	if (c[0] < 0xC2 || c[0] > 0xF4 || (c[0] == 0xE0 && c[1] < 0xA0) ||
	    (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF0 && c[1] < 0x90) ||
	    (c[0] == 0xF4 && c[1] > 0x8F))
		return NULL;
	for (int i = 1; i <= n; i++)
		if ((c[i] & 0xC0) != 0x80)
			return NULL;
	return at + n + 1;
}

static const char *take_escape(const char *at)
{
	if (at[1] == 'u')
		return strspn(at + 2, "0123456789abcdefABCDEF") >= 4 ? at + 6 : NULL;
	return at[1] && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
}

static const char *take_string(const char *at, const char **wrong)
{
	if (*at != '"') {
		*wrong = "no string where one is needed";
		return NULL;
	}
	*wrong = "a string with what is no character";
	for (at++; at && *at != '"';) {
		const unsigned char c = (unsigned char)*at;

		if (c < 0x20)
			return NULL;
		at = c == '\\' ? take_escape(at) : c < 0x80 ? at + 1 : take_wide(at);
	}
	return at ? at + 1 : NULL;
}

static const char *take_digits(const char *at)
{
	const size_t n = at ? strspn(at, "0123456789") : 0;

	return n ? at + n : NULL;
}

static const char *take_number(const char *at, const char **wrong)
{
	*wrong = "a value that is none";
	at += *at == '-';
	at = *at == '0' ? at + 1 : take_digits(at);
	if (at && *at == '.')
		at = take_digits(at + 1);
	if (at && (*at == 'e' || *at == 'E'))
		at = take_digits(at + 1 + (at[1] == '-' || at[1] == '+'));
	return at;
}

static const char *take_value(const char *at, int depth, const char **wrong);

/* Takes brackets and the values between them, each behind its name in an object. */
static const char *take_members(const char *at, int depth, const char **wrong)
{
	const char end = *at == '{' ? '}' : ']';

	at = skip_blanks(at + 1);
	if (*at == end)
		return at + 1;
	for (;; at = skip_blanks(at + 1)) {
		if (end == '}') {
			at = take_string(at, wrong);
			if (!at)
				return NULL;
			at = skip_blanks(at);
			*wrong = "a name without a value";
			if (*at++ != ':')
				return NULL;
		}
		at = take_value(at, depth + 1, wrong);
		if (!at)
			return NULL;
		at = skip_blanks(at);
		if (*at == end)
			return at + 1;
		*wrong = "brackets that do not match";
		if (*at != ',')
			return NULL;
	}
}

static const char *take_value(const char *at, int depth, const char **wrong)
{
	static const char *const words[] = {"true", "false", "null"};

	at = skip_blanks(at);
	*wrong = "too many brackets";
	if (*at == '{' || *at == '[')
		return depth < MAX_DEPTH ? take_members(at, depth, wrong) : NULL;
	if (*at == '"')
		return take_string(at, wrong);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(at, words[i], strlen(words[i])) == 0)
			return at + strlen(words[i]);
	return take_number(at, wrong);
}

const char *json_check(const char *text, const char **wrong)
{
	const char *end = take_value(text, 0, wrong);

	if (!end)
		return text;
	*wrong = "more than one value";
	end = skip_blanks(end);
	return *end ? end : NULL;
}
