#include "tuner/code/code_difference.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/code/code_listing.h"

enum { MAX_LOOPS = 256 }; /* loops from there on are one: a kernel has a dozen */

/* Pairs of lines that are looked at, a bit each: 32 MiB, 0.3 s. */
static const uint64_t MOST_PAIRS = UINT64_C(1) << 28;

/* ---- shapes ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Appends the kind of a word of n characters: R of R12 and RZ, # of a number, %r of %rax. */
static void add_kind(const char *word, size_t n, bool after_percent, struct buf *out)
{
	static const struct {
		const char *word, *kind;
	} named[] = {{"RZ", "R"},   {"URZ", "UR"}, {"PT", "P"},
		     {"UPT", "UP"}, {"xzr", "x"},  {"wzr", "w"}};
	size_t letters = 0;

	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (n == strlen(named[i].word) && memcmp(word, named[i].word, n) == 0) {
			buf_add_str(out, named[i].kind);
			return;
		}
	if (isdigit((unsigned char)*word)) {
		buf_add_char(out, '#');
		return;
	}
	while (letters < n && !isdigit((unsigned char)word[letters]))
		letters++;
	size_t digits = letters;

	while (digits < n && isdigit((unsigned char)word[digits]))
		digits++;
	/* General registers of x86: by their width alone. */
	const bool vector = after_percent && n > 2 && memcmp(word + 1, "mm", 2) == 0;
	const bool mask = after_percent && n == 2 && *word == 'k';

	/* %r8d, %r8w and %r8b are parts of %r8. */
	const bool part = *word == 'r' && letters == 1 && digits < n;

	if (after_percent && !vector && !mask)
		buf_add_str(out, *word == 'e' || (part && word[n - 1] == 'd') ? "e"
				 : *word == 'r' && !part                      ? "r"
									      : "w");
	else if (digits == n && letters > 0)
		buf_add(out, word, letters);
	else
		buf_add(out, word, n);
}

void code_shape_print(const char *text, struct buf *out)
{
	static const char reuse[] = ".reuse";

	text += strspn(text, " \t");
	if (*text == '@') { /* a predicate */
		const size_t n = strcspn(text, " \t");

		buf_add_str(out, "@P ");
		text += n + strspn(text + n, " \t");
	}
	const size_t n = strcspn(text, " \t");

	buf_add(out, text, n);
	for (text += n; *text;) {
		if (isspace((unsigned char)*text)) {
			if (out->len && out->data[out->len - 1] != ' ')
				buf_add_char(out, ' ');
			text++;
		} else if (strncmp(text, reuse, strlen(reuse)) == 0) {
			text += strlen(reuse);
		} else if (*text == '`' || *text == '<') { /* a label, or the name of a target */
			const char *end = strpbrk(text, ")>");

			buf_add_str(out, *text == '`' ? "label" : "");
			text = end ? end + 1 : text + strlen(text);
		} else if (strncmp(text, "(*", 2) == 0 ||
			   (*text == '#' && isspace((unsigned char)text[1]))) { /* a comment */
			break;
		} else if (is_word(*text)) {
			const char *before = out->len ? out->data + out->len - 1 : "";
			size_t length = 0;

			/* 1.5e-05 is one number. */
			while (is_word(text[length]) ||
			       (isdigit((unsigned char)*text) && text[length] == '.'))
				length++;
			if (*text == '$') { /* a constant of AT&T */
				buf_add_str(out, "$");
				text += length;
				continue;
			}
			if (*before == '.') /* a modifier: .64, .4s */
				buf_add(out, text, length);
			else
				add_kind(text, length, *before == '%', out);
			text += length;
		} else {
			buf_add_char(out, *text++);
		}
	}
	while (out->len && !out->failed && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* ---- the longest common subsequence ---- */

struct shaped {
	char *text;
	uint64_t hash;
	uint32_t loop;
};

static enum asc_status shape_all(const struct code_listing *l, struct shaped **out,
				 struct asc_err *e)
{
	*out = calloc(l->n + 1, sizeof **out);
	if (!*out)
		return asc_err_nomem(e);
	for (size_t i = 0; i < l->n; i++) {
		struct buf text = {0};

		code_shape_print(l->lines[i].text, &text);
		(*out)[i].hash = hash_bytes(buf_str(&text), text.len);
		(*out)[i].loop = l->lines[i].is.loop < MAX_LOOPS ? l->lines[i].is.loop : MAX_LOOPS;
		(*out)[i].text = buf_take(&text);
		if (!(*out)[i].text)
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

static void free_shapes(struct shaped *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		free(list[i].text);
	free(list);
}

static enum asc_status add_change(struct code_difference *d, const struct shaped *line, bool added,
				  struct asc_err *e)
{
	*(added ? &d->added : &d->removed) += 1;
	for (size_t i = d->n; i > 0 && d->list[i - 1].loop == line->loop; i--)
		if (d->list[i - 1].added == added &&
		    strcmp(d->list[i - 1].shape, line->text) == 0) {
			d->list[i - 1].n++;
			return ASC_OK;
		}
	char *shape = str_dup(line->text);

	if (!shape || !array_room(&d->list, d->n, &d->room, sizeof *d->list)) {
		free(shape);
		return asc_err_nomem(e);
	}
	d->list[d->n++] = (struct code_change){line->loop, added, shape, 1};
	return ASC_OK;
}

/* Holds two runs of lines against each other, of n and m lines. lengths[k] is the length of the
 * longest common subsequence from a line of the first and line k of the second on; of each pair a
 * bit says whether the second's line is the one to be passed over. */
static enum asc_status hold(const struct shaped *a, size_t n, const struct shaped *b, size_t m,
			    struct code_difference *d, struct asc_err *e)
{
	while (n > 0 && m > 0 && a[0].hash == b[0].hash) { /* most lines are equal */
		a++, b++, n--, m--;
		d->same++;
	}
	while (n > 0 && m > 0 && a[n - 1].hash == b[m - 1].hash) {
		n--, m--;
		d->same++;
	}
	if (m > 0 && n > MOST_PAIRS / m)
		return asc_err_set(e, ASC_LIMIT, "%zu and %zu instructions differ too much", n, m);
	const size_t row = m / 8 + 1;
	unsigned char *right = calloc(n + 1, row);
	uint32_t *lengths = calloc(m + 1, sizeof *lengths);
	enum asc_status s = right && lengths ? ASC_OK : asc_err_nomem(e);

	for (size_t i = n; i-- > 0 && s == ASC_OK;) {
		uint32_t below = 0; /* of the next lines of both */

		for (size_t k = m; k-- > 0;) {
			const uint32_t without_a = lengths[k], without_b = lengths[k + 1];

			if (a[i].hash == b[k].hash)
				lengths[k] = below + 1;
			else if (without_b > without_a) {
				lengths[k] = without_b;
				right[i * row + k / 8] |= (unsigned char)(1 << k % 8);
			}
			below = without_a;
		}
	}
	for (size_t i = 0, k = 0; (i < n || k < m) && s == ASC_OK;) {
		if (i < n && k < m && a[i].hash == b[k].hash) {
			i++, k++;
			d->same++;
		} else if (k < m && (i == n || (right[i * row + k / 8] >> k % 8 & 1))) {
			s = add_change(d, &b[k++], true, e);
		} else {
			s = add_change(d, &a[i++], false, e);
		}
	}
	free(right);
	free(lengths);
	return s;
}

/* Copies the lines of a loop, which keep their texts. */
static size_t collect(const struct shaped *list, size_t n, uint32_t loop, struct shaped *out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].loop == loop)
			out[found++] = list[i];
	return found;
}

enum asc_status code_difference_make(const struct code_listing *first,
				     const struct code_listing *second, struct code_difference *out,
				     struct asc_err *e)
{
	struct shaped *a = NULL, *b = NULL;
	struct shaped *of_a = calloc(first->n + 1, sizeof *of_a);
	struct shaped *of_b = calloc(second->n + 1, sizeof *of_b);
	enum asc_status s = of_a && of_b ? ASC_OK : asc_err_nomem(e);
	uint32_t loops = 0;

	*out = (struct code_difference){0};
	if (s == ASC_OK)
		s = shape_all(first, &a, e);
	if (s == ASC_OK)
		s = shape_all(second, &b, e);
	for (size_t i = 0; i < first->n && s == ASC_OK; i++)
		loops = a[i].loop > loops ? a[i].loop : loops;
	for (size_t i = 0; i < second->n && s == ASC_OK; i++)
		loops = b[i].loop > loops ? b[i].loop : loops;
	/* 1 to the last, then 0: what is in no loop. */
	for (uint32_t l = 1; l <= loops + 1 && s == ASC_OK; l++) {
		const uint32_t loop = l <= loops ? l : 0;

		s = hold(of_a, collect(a, first->n, loop, of_a), of_b,
			 collect(b, second->n, loop, of_b), out, e);
	}
	free_shapes(a, first->n);
	free_shapes(b, second->n);
	free(of_a);
	free(of_b);
	return s;
}

void code_difference_fini(struct code_difference *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->list[i].shape);
	free(d->list);
	*d = (struct code_difference){0};
}
