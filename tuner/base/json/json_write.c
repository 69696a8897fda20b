#include "tuner/base/json/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json_node.h"
#include "tuner/base/utf8.h"

static void add_escaped(struct buf *out, char c)
{
	static const char letters[] = "\"\"\\\\b\bf\fn\nr\rt\t"; /* letter, what it stands for */
	for (size_t i = 0; letters[i]; i += 2)
		if (letters[i + 1] == c) {
			buf_print(out, "\\%c", letters[i]);
			return;
		}
	if ((unsigned char)c < 0x20)
		buf_print(out, "\\u%04x", (unsigned)c);
	else
		buf_add_char(out, c);
}

/* Number of ASCII characters that stand for themselves. */
static size_t count_plain(const char *s)
{
	size_t n = 0;
	while (s[n] >= 0x20 && s[n] < 0x7F && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

void json_quote(struct buf *out, const char *s)
{
	size_t left = strlen(s);
	buf_add_char(out, '"');
	while (left) {
		const size_t plain = count_plain(s);
		size_t n = plain ? plain : utf8_len(s, left);
		if (n == 1 && !plain)
			add_escaped(out, *s);
		else if (n == 0)
			buf_add_str(out, "\xEF\xBF\xBD"); /* U+FFFD */
		else
			buf_add(out, s, n);
		s += n ? n : 1;
		left -= n ? n : 1;
	}
	buf_add_char(out, '"');
}

/* Writes the part before every value. */
static void begin_member(struct json_writer *w, const char *key)
{
	if (w->comma)
		buf_add_char(w->out, ',');
	w->comma = true;
	if (key) {
		json_quote(w->out, key);
		buf_add_char(w->out, ':');
	}
}

void json_write_made(struct json_writer *w, const char *key, const char *text)
{
	begin_member(w, key);
	buf_add_str(w->out, text);
}

void json_write_begin(struct json_writer *w, const char *key, char bracket)
{
	begin_member(w, key);
	buf_add_char(w->out, bracket);
	w->comma = false;
}

void json_write_end(struct json_writer *w, char bracket)
{
	buf_add_char(w->out, bracket);
	w->comma = true;
}

void json_write_string(struct json_writer *w, const char *key, const char *s)
{
	if (!s) {
		json_write_made(w, key, "null");
		return;
	}
	begin_member(w, key);
	json_quote(w->out, s);
}

void json_write_int(struct json_writer *w, const char *key, int64_t i)
{
	json_write_value(w, key, value_int(i));
}

void json_write_count(struct json_writer *w, const char *key, uint64_t n)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%llu", (unsigned long long)n);
	json_write_made(w, key, text);
}

void json_write_real(struct json_writer *w, const char *key, double r)
{
	json_write_value(w, key, value_real(r));
}

void json_write_bool(struct json_writer *w, const char *key, bool b)
{
	json_write_made(w, key, b ? "true" : "false");
}

void json_write_value(struct json_writer *w, const char *key, struct value v)
{
	char text[64] = "null";

	if (v.kind == VALUE_TEXT) {
		json_write_string(w, key, value_text_get(v));
		return;
	}
	/* JSON has no NaN and no infinity. */
	if (v.kind != VALUE_REAL || isfinite(v.r))
		value_print(v, text, sizeof text);
	json_write_made(w, key, text);
}

static void write_children(struct json_writer *w, const char *key, const struct json_node *n,
			   const char brackets[2])
{
	json_write_begin(w, key, brackets[0]);
	for (const struct json_node *child = n->first; child; child = child->next)
		json_write_node(w, child->key, child);
	json_write_end(w, brackets[1]);
}

void json_write_node(struct json_writer *w, const char *key, const struct json_node *n)
{
	switch (n->type) {
	case JSON_NULL: json_write_made(w, key, "null"); break;
	case JSON_BOOL: json_write_bool(w, key, n->b); break;
	case JSON_INT: json_write_int(w, key, n->i); break;
	case JSON_REAL: json_write_real(w, key, n->r); break;
	case JSON_STRING: json_write_string(w, key, n->s); break;
	case JSON_ARRAY: write_children(w, key, n, "[]"); break;
	case JSON_OBJECT: write_children(w, key, n, "{}"); break;
	}
}

/* ---- lines for people ---- */

enum { LINE_WIDTH = 100 };

/* Length of a string literal, with its quotes. */
static size_t string_length(const char *text)
{
	size_t n = 1;

	while (text[n] != '"')
		n += text[n] == '\\' ? 2 : 1;
	return n + 1;
}

/* Length of an object or array that fits on a line; 0: it does not. */
static size_t flat_length(const char *text)
{
	size_t n = 0;
	int depth = 0;

	do {
		depth += text[n] == '{' || text[n] == '[';
		depth -= text[n] == '}' || text[n] == ']';
		n += text[n] == '"' ? string_length(text + n) : 1;
	} while (depth > 0 && n <= LINE_WIDTH);
	return n <= LINE_WIDTH ? n : 0;
}

static void print_line_end(int depth, struct buf *out)
{
	buf_print(out, "\n%*s", 2 * depth, "");
}

/* Appends one token, or a whole flat value; returns its length. */
static size_t print_token(const char *text, int *depth, struct buf *out)
{
	const size_t flat = strchr("{[", *text) ? flat_length(text) : 0;
	const size_t n = flat ? flat : *text == '"' ? string_length(text) : 1;

	if (strchr("}]", *text))
		print_line_end(--*depth, out);
	for (size_t i = 0; i < n;) {
		const size_t part = text[i] == '"' ? string_length(text + i) : 1;

		buf_add(out, text + i, part);
		/* Between the parts of a flat value; behind a key of any. */
		if (text[i] == ':' || (flat && text[i] == ','))
			buf_add_char(out, ' ');
		i += part;
	}
	if (!flat && strchr("{[", *text))
		print_line_end(++*depth, out);
	if (!flat && *text == ',')
		print_line_end(*depth, out);
	return n;
}

void json_print_lines(const char *text, struct buf *out)
{
	int depth = 0;

	while (*text)
		text += print_token(text, &depth, out);
	buf_add_char(out, '\n');
}
