#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json_node.h"
#include "tuner/base/utf8.h"

enum { CHUNK_NODES = 256, MAX_VALUES = 8 << 20 /* some 80 bytes each */ };

struct json_chunk {
	struct json_chunk *next;
	struct json_node nodes[CHUNK_NODES];
};

/* The walk over a document's text. Functions that pass over a part of the text return false with
 * the error set. */
struct scan {
	struct json_doc *doc;
	char *text; /* the document's */
	size_t len, at;
	int depth;
	struct json_chunk *chunk; /* that nodes are taken from, and how many of it are */
	size_t used;
	size_t n_values;
	json_visit_fn *visit; /* rows; NULL: they stay */
	void *user;
	struct asc_err *e;
};

enum {
	SCAN_SHOWN = 40,     /* at most this much of the text is repeated in a message */
	NUMBER_MAX_LEN = 63, /* characters */
	EXACT_DIGITS = 15,   /* integers with no more are exact as doubles, and powers of ten */
	FEW_MEMBERS = 16
};

/* Classes of characters. */
enum { SCAN_LETTER = 1, SCAN_DIGIT = 2, SCAN_SIGN = 4 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static int class_of(char c)
{
	if (c >= '0' && c <= '9')
		return SCAN_DIGIT;
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
		return SCAN_LETTER;
	return c == '+' || c == '-' || c == '.' ? SCAN_SIGN : 0;
}

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
	size_t line = 1, column = 1;
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < at; i++) {
		bool first_byte = ((unsigned char)s->text[i] & 0xC0) != 0x80;
		column = s->text[i] == '\n' ? 1 : column + first_byte;
		line += s->text[i] == '\n';
	}
	asc_err_set(s->e, ASC_INPUT, "%s:%zu:%zu: %s", s->doc->name, line, column, text);
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

/* ---- nodes ---- */

void json_free_chunks(struct json_doc *doc)
{
	while (doc->chunks) {
		struct json_chunk *next = doc->chunks->next;
		free(doc->chunks);
		doc->chunks = next;
	}
}

/* Goes on to the next chunk, which a row may have used before. */
static bool take_chunk(struct scan *s)
{
	struct json_chunk **link = s->chunk ? &s->chunk->next : &s->doc->chunks;
	if (!*link && !(*link = calloc(1, sizeof **link)))
		return false;
	s->chunk = *link;
	s->used = 0;
	return true;
}

/* Makes the next node; NULL with the error set. */
static struct json_node *add_node(struct scan *s)
{
	if (++s->n_values > MAX_VALUES) {
		asc_err_set(s->e, ASC_LIMIT, "%s: %zu values, expected at most %d", s->doc->name,
			    s->n_values, MAX_VALUES);
		return NULL;
	}
	if ((!s->chunk || s->used == CHUNK_NODES) && !take_chunk(s)) {
		asc_err_nomem(s->e);
		return NULL;
	}
	struct json_node *n = &s->chunk->nodes[s->used++];
	*n = (struct json_node){.doc = s->doc};
	return n;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool fail_twice(struct scan *s, const struct json_node *n, const char *key)
{
	json_fail(n, s->e, "key \"%s\" appears twice", key);
	return false;
}

/* A bit by a key's first characters: keys whose bits differ are not the same. */
static uint64_t bit_of(const char *key)
{
	const unsigned first = (unsigned char)key[0];
	return UINT64_C(1) << (first ? (first + 5 * (unsigned char)key[1]) % 64 : 0);
}

static bool check_few_keys(struct scan *s, const struct json_node *n)
{
	uint64_t bits = 0;
	for (const struct json_node *m = n->first; m; m = m->next) {
		const uint64_t bit = bit_of(m->key);
		for (const struct json_node *k = n->first; (bits & bit) && k != m; k = k->next)
			if (strcmp(k->key, m->key) == 0)
				return fail_twice(s, n, m->key);
		bits |= bit;
	}
	return true;
}

static bool check_keys(struct scan *s, const struct json_node *n)
{
	size_t i = 0;
	bool ok = true;
	if (n->count <= FEW_MEMBERS)
		return check_few_keys(s, n);
	const char **keys = malloc(n->count * sizeof *keys);
	if (!keys)
		return asc_err_nomem(s->e) == ASC_OK;
	for (const struct json_node *m = n->first; m; m = m->next)
		keys[i++] = m->key;
	qsort(keys, n->count, sizeof *keys, compare_keys);
	for (i = 1; i < n->count && ok; i++)
		ok = strcmp(keys[i - 1], keys[i]) != 0 || fail_twice(s, n, keys[i]);
	free(keys);
	return ok;
}

/* ---- strings ---- */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *d = c ? strchr(digits, c) : NULL;
	return d ? (int)((d - digits) % 16) : -1;
}

/* The four digits of \uXXXX at byte `at`, or -1. */
static int hex_four(const struct scan *s, size_t at)
{
	int unit = 0;
	if (s->len - at < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		int d = hex_digit(s->text[at + i]);
		if (d < 0)
			return -1;
		unit = unit * 16 + d;
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
	if (unit < 0xD800 || unit > 0xDFFF)
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

/* Number of the first of eight bytes that stand for themselves: ASCII but controls, '"' and '\\'.
 * The highest bit of a byte is set where it does not; a byte behind one of those may be taken for
 * one as well. */
static size_t count_plain(const char *eight)
{
	static const uint64_t each = UINT64_C(0x0101010101010101), high = each << 7;
	uint64_t x;
	memcpy(&x, eight, sizeof x);
	x = le64toh(x);
	const uint64_t quote = x ^ each * '"', backslash = x ^ each * '\\';
	const uint64_t other =
		(x - each * ' ') | (quote - each) | (backslash - each) | (x + each) | x;
	return other & high ? (size_t)__builtin_ctzll(other & high) / 8 : sizeof x;
}

/* Passes over ASCII that stands for itself, as long as eight bytes are left. */
static void skip_plain(struct scan *s)
{
	size_t n = sizeof(uint64_t);
	while (n == sizeof(uint64_t) && s->at + sizeof(uint64_t) <= s->len) {
		n = count_plain(s->text + s->at);
		s->at += n;
	}
}

/* Adds the UTF-8 of a code point; returns its length. */
static size_t print_utf8(unsigned c, char *out)
{
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)(lead[n < 2 ? 0 : n] | c);
	return n;
}

/* Writes what the escape at s->text[*at] stands for, behind which *at is then; returns its length.
 */
static size_t decode_escape(const struct scan *s, size_t *at, char *out)
{
	static const char letters[] = "b\bf\fn\nr\rt\t"; /* letter, what it stands for */
	const char c = s->text[*at + 1];
	*at += 2;
	if (c == 'u') {
		unsigned unit = (unsigned)hex_four(s, *at);
		*at += 4;
		if (unit >= 0xD800 && unit <= 0xDFFF) {
			unit = 0x10000 + ((unit - 0xD800) << 10) +
			       ((unsigned)hex_four(s, *at + 2) - 0xDC00);
			*at += 6;
		}
		return print_utf8(unit, out);
	}
	const char *found = strchr(letters, c);
	*out = c;
	if (found)
		*out = found[1];
	return 1;
}

/* The string between `start` and `end` without its escapes, of which there are some. The text stays
 * as it is: places in it are counted for messages. */
static const char *decode(struct scan *s, size_t start, size_t end)
{
	char *out = json_alloc(s->doc->root, end - start + 1);
	size_t n = 0;
	for (size_t at = start; out && at < end;)
		if (s->text[at] == '\\')
			n += decode_escape(s, &at, out + n);
		else
			out[n++] = s->text[at++];
	if (!out)
		asc_err_nomem(s->e);
	return out;
}

/* The string, which ends with a NUL where its quote was; NULL with the error set. */
static const char *scan_string(struct scan *s)
{
	const size_t start = s->at++;
	bool escaped = false;
	for (;;) {
		skip_plain(s);
		int c = scan_peek(s);
		if (c == '"')
			break;
		if (c < 0) {
			scan_fail(s, start, "the string that starts here does not end");
			return NULL;
		}
		escaped |= c == '\\';
		if (!scan_character(s, c))
			return NULL;
	}
	const size_t end = s->at++;
	if (escaped)
		return decode(s, start + 1, end);
	s->text[end] = '\0';
	return s->text + start + 1;
}

/* ---- numbers and words ---- */

static size_t count_digits(const char *text)
{
	size_t n = 0;
	while (text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

struct number { /* a number as JSON writes them: its text, and lengths of the parts */
	const char *text;
	size_t whole;    /* with the sign */
	size_t fraction; /* with the point; 0: none */
	size_t exponent; /* with the letter */
};

/* False: there is none. Something else may follow. */
static bool measure_number(const char *text, struct number *out)
{
	const size_t sign = text[0] == '-';
	const size_t digits = text[sign] == '0' ? 1 : count_digits(text + sign);
	*out = (struct number){.text = text, .whole = sign + digits};
	text += out->whole;
	if (text[0] == '.' && count_digits(text + 1) > 0)
		out->fraction = 1 + count_digits(text + 1);
	text += out->fraction;
	if (text[0] == 'e' || text[0] == 'E') {
		const size_t letter = 1 + (text[1] == '+' || text[1] == '-');
		const size_t power = count_digits(text + letter);
		out->exponent = power ? letter + power : 0;
	}
	return digits > 0;
}

/* The integer that digits, of which there are at most EXACT_DIGITS, make after `before`. */
static int64_t add_digits(int64_t before, const char *digits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		before = 10 * before + (digits[i] - '0');
	return before;
}

static bool read_int(const struct number *p, struct json_node *n)
{
	static const long long most = 1LL << 53;
	const size_t sign = p->text[0] == '-';
	char copy[NUMBER_MAX_LEN + 1] = {0};
	n->type = JSON_INT;
	if (p->whole - sign <= EXACT_DIGITS) {
		n->i = add_digits(0, p->text + sign, p->whole - sign);
		n->i = sign ? -n->i : n->i;
		return true;
	}
	memcpy(copy, p->text, p->whole);
	errno = 0;
	n->i = strtoll(copy, NULL, 10);
	return errno == 0 && n->i <= most && n->i >= -most;
}

/* A quotient of two integers that are doubles is rounded once, as strtod() does. */
static bool read_real(const struct number *p, struct json_node *n)
{
	const size_t sign = p->text[0] == '-', digits = p->fraction ? p->fraction - 1 : 0;
	struct value v;
	n->type = JSON_REAL;
	if (p->exponent == 0 && p->whole - sign + digits <= EXACT_DIGITS) {
		const int64_t whole = add_digits(0, p->text + sign, p->whole - sign);
		double power = 1;
		for (size_t i = 0; i < digits; i++)
			power *= 10;
		n->r = (double)add_digits(whole, p->text + p->whole + 1, digits) / power;
		n->r = sign ? -n->r : n->r;
		return true;
	}
	if (!value_parse(p->text, p->whole + p->fraction + p->exponent, &v))
		return false;
	n->r = v.r;
	return true;
}

static bool scan_number(struct scan *s, struct json_node *node)
{
	struct number p;
	const char *text = s->text + s->at;
	const size_t n = scan_span(s, SCAN_LETTER | SCAN_DIGIT | SCAN_SIGN);
	if (n > NUMBER_MAX_LEN)
		return scan_fail(s, s->at, "a number of more than %d characters", NUMBER_MAX_LEN);
	if (!measure_number(text, &p) || p.whole + p.fraction + p.exponent != n)
		return scan_fail(s, s->at, "'%.*s' is not a number as JSON writes them", (int)n,
				 text);
	if (n > p.whole && !read_real(&p, node))
		return scan_fail(s, s->at, "\"%.*s\" is too large for a 64-bit real", (int)n, text);
	if (n == p.whole && !read_int(&p, node)) {
		json_fail(node, s->e, "integers beyond 2^53 = 9007199254740992 are not exact");
		return false;
	}
	s->at += n;
	return true;
}

static bool scan_word(struct scan *s, struct json_node *node)
{
	static const char *const words[] = {"true", "false", "null", NULL};
	char word[SCAN_SHOWN + 1];
	size_t n = scan_span(s, SCAN_LETTER | SCAN_DIGIT);
	(void)snprintf(word, sizeof word, "%.*s", (int)(n < SCAN_SHOWN ? n : SCAN_SHOWN),
		       s->text + s->at);
	const char *near = str_nearest(word, words);
	if (near && strcmp(near, word) != 0)
		return scan_fail(s, s->at, "\"%s\" is no value (did you mean %s?)", word, near);
	if (!near)
		return scan_fail(s, s->at, "\"%s\" is no value (strings are in double quotes)",
				 word);
	node->type = *word == 'n' ? JSON_NULL : JSON_BOOL;
	node->b = *word == 't';
	s->at += n;
	return true;
}

/* ---- arrays and objects ---- */

static bool scan_value(struct scan *s, struct json_node *node);

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
	while (s->at < s->len && is_blank(s->text[s->at]))
		s->at++;
}

/* Makes a node inside of another, at the end of what is there. */
static struct json_node *add_inside(struct scan *s, struct json_node *parent,
				    struct json_node *last)
{
	struct json_node *n = add_node(s);
	if (!n)
		return NULL;
	n->parent = parent;
	parent->count++;
	if (last)
		last->next = n;
	else
		parent->first = n;
	return n;
}

static bool scan_member(struct scan *s, struct json_node *node)
{
	if (scan_peek(s) != '"')
		return fail_found(s, "expected a key in double quotes");
	node->key = scan_string(s);
	if (!node->key)
		return false;
	skip_blanks(s);
	return scan_take(s, ':') ? scan_value(s, node) : fail_found(s, "expected ':' after a key");
}

/* Reads an element of an array whose elements do not stay, and drops it. */
static bool scan_row(struct scan *s, struct json_node *node)
{
	const struct json_block *blocks = s->doc->blocks;
	struct json_chunk *const chunk = s->chunk;
	const size_t used = s->used, n_values = s->n_values;
	if (!scan_value(s, node) || s->visit(s->user, node, s->e))
		return false;
	json_free_blocks(s->doc, blocks);
	s->chunk = chunk;
	s->used = used - 1;
	s->n_values = n_values - 1;
	node->parent->first = NULL;
	return true;
}

/* Reads an element or a member; `last` is the one before, and then this one. */
static bool scan_item(struct scan *s, struct json_node *parent, struct json_node **last)
{
	const bool dropped = s->visit && parent->type == JSON_ARRAY && parent->key &&
			     parent->parent == s->doc->root;
	struct json_node *n = add_inside(s, parent, *last);
	if (!n)
		return false;
	*last = dropped ? NULL : n;
	if (parent->type == JSON_OBJECT)
		return scan_member(s, n);
	return dropped ? scan_row(s, n) : scan_value(s, n);
}

/* `expected` is for the place after an item. */
static bool scan_items(struct scan *s, struct json_node *node, char close, const char *expected)
{
	struct json_node *last = NULL;
	if (++s->depth > JSON_MAX_DEPTH)
		return scan_fail(s, s->at, "nested deeper than %d levels", JSON_MAX_DEPTH);
	s->at++;
	skip_blanks(s);
	for (bool more = !scan_take(s, close); more; more = !scan_take(s, close)) {
		if (!scan_item(s, node, &last))
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
	return node->type == JSON_ARRAY || check_keys(s, node);
}

static bool scan_value(struct scan *s, struct json_node *node)
{
	skip_blanks(s);
	int c = scan_peek(s);
	if (c == '{') {
		node->type = JSON_OBJECT;
		return scan_items(s, node, '}', "expected ',' or '}'");
	}
	if (c == '[') {
		node->type = JSON_ARRAY;
		return scan_items(s, node, ']', "expected ',' or ']'");
	}
	if (c == '"') {
		node->type = JSON_STRING;
		return (node->s = scan_string(s)) != NULL;
	}
	if (c == '\'')
		return scan_fail(s, s->at, "strings are in double quotes");
	if (c == '/' || c == '#')
		return scan_fail(s, s->at, "there are no comments in JSON");
	const int class = c < 0 ? 0 : class_of((char)c);
	if (class == SCAN_LETTER)
		return scan_word(s, node);
	return class & (SCAN_DIGIT | SCAN_SIGN) ? scan_number(s, node)
						: fail_found(s, "expected a value");
}

enum asc_status json_parse(struct json_doc *doc, size_t len, json_visit_fn *visit, void *user,
			   struct asc_err *e)
{
	struct scan s = {
		.doc = doc, .text = doc->text, .len = len, .visit = visit, .user = user, .e = e};
	skip_blanks(&s);
	if (s.at == len)
		return asc_err_set(e, ASC_INPUT, "%s: the text is empty", doc->name);
	if (len >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0)
		return asc_err_set(e, ASC_INPUT, "%s:1:1: starts with a byte-order mark",
				   doc->name);
	doc->root = add_node(&s);
	if (!doc->root || !scan_value(&s, doc->root))
		return e->status;
	skip_blanks(&s);
	if (s.at < len)
		fail_found(&s, "expected the end of the text");
	return s.at < len ? e->status : ASC_OK;
}
