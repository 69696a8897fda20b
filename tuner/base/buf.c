#include "tuner/base/buf.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 64 };

void buf_init(struct buf *b)
{
	*b = (struct buf){0};
}

void buf_fini(struct buf *b)
{
	free(b->data);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

/* Makes room for n more bytes and the NUL. */
static bool buf_grow(struct buf *b, size_t n)
{
	if (b->failed || n >= SIZE_MAX / 2 - b->len) {
		b->failed = true;
		return false;
	}
	size_t cap = b->cap ? b->cap : FIRST_BYTES;
	while (cap <= b->len + n) /* doubling: n bytes cost O(n), however they come */
		cap *= 2;
	char *data = realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

/* Makes room as buf_grow() does; nearly always there is some. */
static bool buf_reserve(struct buf *b, size_t n)
{
	return (n < b->cap - b->len && !b->failed) || buf_grow(b, n);
}

void buf_add(struct buf *b, const void *data, size_t n)
{
	if (!buf_reserve(b, n))
		return;
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_cut(struct buf *b, const char *s, size_t most)
{
	size_t n = strnlen(s, most + 1);
	const bool whole = n <= most;

	if (!whole)
		n = most;
	while (!whole && n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80)
		n--; /* s[n] belongs to the character before */
	buf_add(b, s, n);
	if (!whole)
		buf_add_str(b, "...");
}

void buf_add_char(struct buf *b, char c)
{
	if (!buf_reserve(b, 1))
		return;
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

static void buf_print_args(struct buf *b, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void buf_print_args(struct buf *b, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	if (n < 0)
		b->failed = true;
	else if (buf_reserve(b, (size_t)n))
		b->len += (size_t)vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
	va_end(again);
}

void buf_print(struct buf *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buf_print_args(b, format, args);
	va_end(args);
}

void buf_drop(struct buf *b, size_t at, size_t n)
{
	if (at > b->len)
		at = b->len;
	if (n > b->len - at)
		n = b->len - at;
	if (n == 0)
		return;
	b->len -= n;
	memmove(b->data + at, b->data + at + n, b->len - at + 1);
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

enum asc_status buf_check(const struct buf *b, struct asc_err *e)
{
	return b->failed ? asc_err_nomem(e) : ASC_OK;
}

char *buf_take(struct buf *b)
{
	buf_add(b, NULL, 0); /* an empty string is on the heap too */
	char *data = NULL;
	if (!b->failed) {
		data = b->data;
		b->data = NULL;
	}
	buf_fini(b);
	return data;
}

char *str_dup(const char *s)
{
	return strdup(s);
}

char *str_print(const char *format, ...)
{
	struct buf b = {0};
	va_list args;
	va_start(args, format);
	buf_print_args(&b, format, args);
	va_end(args);
	return buf_take(&b);
}

/* Costs in sixteenths of an edit: a wrong case is nearly right. */
enum { EDIT = 16, CASE = 1, NAME_MAX_LEN = 64 };

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned letter_cost(char a, char b)
{
	if (a == b)
		return 0;
	return tolower((unsigned char)a) == tolower((unsigned char)b) ? CASE : EDIT;
}

/* Optimal string alignment: insertions, deletions, replacements and swaps of two neighbours.
 * `rows` are the last three rows of the table, used in turn. */
static unsigned str_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][NAME_MAX_LEN + 1];
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j * EDIT;
	for (size_t i = 1; i <= na; i++) {
		const unsigned *before = rows[(i + 1) % 3]; /* row i - 2 */
		const unsigned *above = rows[(i + 2) % 3];  /* row i - 1 */
		unsigned *row = rows[i % 3];
		row[0] = (unsigned)i * EDIT;
		for (size_t j = 1; j <= nb; j++) {
			unsigned least = min_of(above[j], row[j - 1]) + EDIT;
			least = min_of(least, above[j - 1] + letter_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = min_of(least, before[j - 2] + EDIT);
			row[j] = least;
		}
	}
	return rows[na % 3][nb];
}

const char *str_nearest(const char *name, const char *const *candidates)
{
	size_t len = strlen(name);
	const char *nearest = NULL;
	if (len > NAME_MAX_LEN)
		return NULL;
	/* An edit in three letters: with more, anything is near a short name. */
	unsigned limit = (unsigned)len * EDIT / 3;
	for (; *candidates; candidates++) {
		size_t n = strlen(*candidates);
		if (n > NAME_MAX_LEN)
			continue;
		unsigned distance = str_distance(name, len, *candidates, n);
		if (distance < limit || (distance == limit && !nearest)) {
			nearest = *candidates;
			limit = distance;
		}
	}
	return nearest;
}

bool str_is_identifier(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char rest[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return text && strspn(text, letters) > 0 && !text[strspn(text, rest)];
}

bool str_is_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool str_ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

bool str_is_in(const char *text, const char *const *list)
{
	while (*list && strcmp(*list, text) != 0)
		list++;
	return *list != NULL;
}

static size_t count_digits(const char *text)
{
	size_t n = 0;

	while (isdigit((unsigned char)text[n]))
		n++;
	return n;
}

int str_compare_natural(const char *a, const char *b)
{
	const char *first = a, *second = b;

	while (*a && *b) {
		const size_t digits_a = count_digits(a), digits_b = count_digits(b);

		if (!digits_a || !digits_b) {
			if (*a != *b)
				break;
			a++;
			b++;
			continue;
		}
		const size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
		const size_t n = digits_a - zeros_a;
		const int order = n == digits_b - zeros_b  ? memcmp(a + zeros_a, b + zeros_b, n)
				  : n > digits_b - zeros_b ? 1
							   : -1;

		if (order != 0)
			return order;
		a += digits_a;
		b += digits_b;
	}
	/* Equal but for zeros in front of numbers: the order is total all the same. */
	return *a == *b ? strcmp(first, second) : (unsigned char)*a - (unsigned char)*b;
}
