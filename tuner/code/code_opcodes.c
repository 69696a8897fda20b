#include "tuner/code/code_opcodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/code_file.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/sass.h"

static enum asc_status add(struct code_opcodes *o, size_t side, const char *name, size_t length,
			   int64_t n, struct asc_err *e)
{
	struct code_opcode *at = o->list;
	char cut[CODE_OPCODE_SIZE];

	(void)snprintf(cut, sizeof cut, "%.*s", (int)length, name);
	while (at < o->list + o->n && strcmp(at->name, cut) != 0)
		at++;
	if (at == o->list + o->n) {
		if (!array_room(&o->list, o->n, &o->room, sizeof *o->list))
			return asc_err_nomem(e);
		at = &o->list[o->n++];
		*at = (struct code_opcode){{0}, {0}};
		memcpy(at->name, cut, sizeof cut);
	}
	at->n[side] += n;
	return ASC_OK;
}

/* ---- cubins ---- */

enum asc_status code_opcodes_add_cubin(struct code_opcodes *o, size_t side, const char *path,
				       const char *kernel, struct asc_err *e)
{
	struct sass_table *table = malloc(sizeof *table);
	int64_t *counts = calloc(SASS_ENCODINGS, sizeof *counts);
	struct elf_part code = {NULL, 0};
	struct buf bytes = {0};
	struct cubin cubin;
	uint64_t words[2];
	enum asc_status s = table && counts ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK)
		s = file_read(path, CODE_FILE_BYTES, &bytes, e);
	if (s == ASC_OK && cubin_open(bytes.data, bytes.len, &cubin, e))
		s = asc_err_wrap(e, "%s", path);
	if (s == ASC_OK) {
		code = cubin_find_code(&cubin, kernel);
		(void)sass_table_init(table, cubin.capability); /* unknown: all are "?" */
	}
	if (s == ASC_OK && !code.data)
		s = asc_err_set(e, ASC_INPUT, "%s: has no kernel %s", path, kernel);
	for (size_t at = 0; s == ASC_OK && at + SASS_BYTES <= code.n; at += SASS_BYTES) {
		memcpy(words, code.data + at, sizeof words);
		counts[words[0] & (SASS_ENCODINGS - 1)]++;
	}
	for (size_t i = 0; s == ASC_OK && i < SASS_ENCODINGS; i++) {
		const char *name = table->opcodes[i]->mnemonic;

		if (counts[i])
			s = *name ? add(o, side, name, strlen(name), counts[i], e)
				  : add(o, side, "?", 1, counts[i], e);
	}
	buf_fini(&bytes);
	free(table);
	free(counts);
	return s;
}

/* ---- listings of objdump ---- */

struct word {
	const char *text;
	size_t n;
};

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* The mnemonic of an instruction: "lock cmpxchg %edx,(%rcx)" has a prefix. */
static struct word find_word(const char *text)
{
	static const char *const prefixes[] = {"lock",  "rep",      "repz",     "repnz",  "repe",
					       "repne", "bnd",      "notrack",  "data16", "addr32",
					       "cs",    "ds",       "es",       "fs",     "gs",
					       "ss",    "xacquire", "xrelease", NULL};
	struct word w = {text, strcspn(text, " \t")};

	for (size_t i = 0; prefixes[i];) {
		const char *next = w.text + w.n + strspn(w.text + w.n, " \t");

		if (strlen(prefixes[i]) == w.n && memcmp(prefixes[i], w.text, w.n) == 0 && *next) {
			w = (struct word){next, strcspn(next, " \t")};
			i = 0; /* several may stand in front */
		} else {
			i++;
		}
	}
	return w;
}

enum asc_status code_opcodes_add_listing(struct code_opcodes *o, size_t side,
					 const struct code_listing *l, struct asc_err *e)
{
	struct word *words = calloc(l->n + 1, sizeof *words);
	enum asc_status s = words ? ASC_OK : asc_err_nomem(e);
	size_t first = 0;

	for (size_t i = 0; s == ASC_OK && i < l->n; i++)
		words[i] = find_word(l->lines[i].text);
	if (s == ASC_OK)
		qsort(words, l->n, sizeof *words, compare_words);
	for (size_t i = 1; s == ASC_OK && i <= l->n; i++) {
		if (i < l->n && compare_words(&words[i], &words[first]) == 0)
			continue;
		s = add(o, side, words[first].text, words[first].n, (int64_t)(i - first), e);
		first = i;
	}
	free(words);
	return s;
}

/* ---- both sides ---- */

static int compare_opcodes(const void *a, const void *b)
{
	const struct code_opcode *x = a, *y = b;
	const int64_t by_x = llabs(x->n[1] - x->n[0]), by_y = llabs(y->n[1] - y->n[0]);

	return by_x == by_y ? strcmp(x->name, y->name) : (by_x < by_y) - (by_x > by_y);
}

void code_opcodes_sort(struct code_opcodes *o)
{
	if (o->n > 0)
		qsort(o->list, o->n, sizeof *o->list, compare_opcodes);
}

size_t code_opcodes_differing(const struct code_opcodes *o)
{
	size_t n = 0;

	while (n < o->n && o->list[n].n[0] != o->list[n].n[1])
		n++;
	return n;
}

void code_opcodes_fini(struct code_opcodes *o)
{
	free(o->list);
	*o = (struct code_opcodes){0};
}
