#include "tuner/build/manifest.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/sources/sources.h"

/* The next word of a makefile's line from *at on, where \ and $ quote; false at its end. */
static bool next_word(const char **at, struct buf *word)
{
	const char *p = *at;

	buf_clear(word);
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (*p != '\\' || (p[1] != '\n' && p[1] != '\r'))
			break;
		p++;
	}
	while (*p && !strchr(" \t\r\n", *p)) {
		bool quoted = (p[0] == '\\' && p[1] && strchr(" #\\:", p[1])) ||
			      (p[0] == '$' && p[1] == '$');
		if (p[0] == '\\' && (p[1] == '\n' || p[1] == '\r'))
			break;
		p += quoted;
		buf_add_char(word, *p++);
	}
	*at = p;
	return word->len > 0;
}

static enum asc_status print_line(const char *path, struct buf *out, struct asc_err *e)
{
	char key[HASH_TEXT_SIZE];

	if (sources_key(path, key, e))
		return e->status;
	buf_print(out, "%s %s\n", key, path);
	return ASC_OK;
}

enum asc_status manifest_print(const char *rule, const char *scratch, struct buf *out,
			       struct asc_err *e)
{
	const char *at = strstr(rule, ": ");
	struct buf word = {0};
	enum asc_status s = ASC_OK;
	size_t n = strlen(scratch);

	for (at = at ? at + 2 : ""; s == ASC_OK && next_word(&at, &word);)
		if (strncmp(buf_str(&word), scratch, n) != 0)
			s = print_line(buf_str(&word), out, e);
	if (s == ASC_OK)
		s = buf_check(&word, e) ? e->status : buf_check(out, e);
	buf_fini(&word);
	return s;
}

bool manifest_holds(const char *text)
{
	struct buf path = {0};
	char key[HASH_TEXT_SIZE];
	struct asc_err e;
	bool holds = true;

	while (*text && holds) {
		size_t n = strcspn(text, "\n");
		buf_clear(&path);
		if (n > HASH_TEXT_SIZE)
			buf_add(&path, text + HASH_TEXT_SIZE, n - HASH_TEXT_SIZE);
		holds = path.len > 0 && sources_key(buf_str(&path), key, &e) == ASC_OK &&
			strncmp(key, text, HASH_TEXT_SIZE - 1) == 0;
		text += n + (text[n] == '\n');
	}
	buf_fini(&path);
	return holds;
}
