#include "tuner/cmd/space_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/escape.h"
#include "tuner/base/json/json.h"

enum { BLOCK_SIZE = 1 << 16, CHUNK = 16 };

/* Copies in whole chunks, which is faster; all texts have room after them. */
static void copy(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i += CHUNK)
		memcpy(to + i, from + i, CHUNK);
}

/* Makes the texts of values with their separators, so that a line is nothing but texts. */
static void add_plain(struct buf *to, const struct space *s, size_t param, struct value v)
{
	char text[64];

	value_print(v, text, sizeof text);
	/* Quotes guard against texts that a CI runner takes for a command: no number is one. */
	const char *quote = param == 0 && v.kind == VALUE_TEXT ? escape_line_quote(text) : "";

	buf_add_str(to, param > 0 ? "," : "");
	buf_add_str(to, quote);
	buf_add_str(to, text);
	buf_add_str(to, quote);
	buf_add_str(to, param + 1 < space_params(s) ? "" : "\n");
}

static void add_json(struct buf *to, const struct space *s, size_t param, struct value v)
{
	struct json_writer w = {to, param > 0};

	buf_add_str(to, param > 0 ? "" : "{");
	json_write_value(&w, space_names(s)[param], v);
	buf_add_str(to, param + 1 < space_params(s) ? "" : "}\n");
}

static size_t count_values(const struct space *s)
{
	size_t n = 0;

	for (size_t i = 0; i < space_params(s); i++)
		n += space_param(s, i)->n;
	return n;
}

/* Returns the length of the longest line. */
static size_t add_texts(struct space_lines *l, bool json)
{
	void (*add)(struct buf *, const struct space *, size_t, struct value) =
		json ? add_json : add_plain;
	size_t n = 0, longest = 0;

	for (size_t i = 0; i < space_params(l->space); i++) {
		const struct space_param *p = space_param(l->space, i);
		size_t widest = 0;
		l->firsts[i] = n;
		for (size_t k = 0; k < p->n; k++, n++) {
			l->values[n].at = l->texts.len;
			add(&l->texts, l->space, i, p->values[k]);
			l->values[n].len = l->texts.len - l->values[n].at;
			widest = l->values[n].len > widest ? l->values[n].len : widest;
		}
		longest += widest;
	}
	return longest;
}

enum asc_status space_lines_init(struct space_lines *l, const struct space *s, bool json,
				 struct asc_err *e)
{
	*l = (struct space_lines){.space = s};
	l->values = malloc((count_values(s) + 1) * sizeof *l->values);
	if (!l->values)
		return asc_err_nomem(e);
	const size_t longest = add_texts(l, json);
	for (int i = 0; i < CHUNK; i++)
		buf_add_char(&l->texts, ' ');
	l->line = calloc(longest + CHUNK, 1);
	l->block = malloc(BLOCK_SIZE + longest + CHUNK);
	if (!l->line || !l->block)
		return asc_err_nomem(e);
	if (space_params(s) == 0) /* the one line there is, of nothing */
		l->starts[0] = (size_t)snprintf(l->line, CHUNK, "%s\n", json ? "{}" : "");
	return buf_check(&l->texts, e);
}

void space_lines_put(struct space_lines *l, const uint16_t *picks, size_t changed)
{
	const size_t n = space_params(l->space);
	size_t at = l->starts[changed];

	for (size_t i = changed; i < n; i++) {
		const struct space_text *t = &l->values[l->firsts[i] + picks[i]];
		copy(l->line + at, l->texts.data + t->at, t->len);
		at += t->len;
		l->starts[i + 1] = at;
	}
	copy(l->block + l->used, l->line, at);
	l->used += at;
	if (l->used >= BLOCK_SIZE) {
		fwrite(l->block, 1, l->used, stdout);
		l->used = 0;
	}
}

void space_lines_fini(struct space_lines *l)
{
	if (l->used)
		fwrite(l->block, 1, l->used, stdout);
	buf_fini(&l->texts);
	free(l->values);
	free(l->line);
	free(l->block);
}
