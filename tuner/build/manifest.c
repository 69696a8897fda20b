#include "tuner/build/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/workload/sources/sources.h"

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

enum asc_status manifest_add(const char *path, struct buf *out, struct asc_err *e)
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
			s = manifest_add(buf_str(&word), out, e);
	if (s == ASC_OK)
		s = buf_check(&word, e) ? e->status : buf_check(out, e);
	buf_fini(&word);
	return s;
}

/* The path of the next line of *at, behind its digest, "" where there is none; false at the end. */
static bool next_path(const char **at, struct buf *path)
{
	size_t n = strcspn(*at, "\n");

	buf_clear(path);
	if (!**at)
		return false;
	if (n > HASH_TEXT_SIZE)
		buf_add(path, *at + HASH_TEXT_SIZE, n - HASH_TEXT_SIZE);
	*at += n + ((*at)[n] == '\n');
	return true;
}

/* True when the path leads into one of the folders, each in a line ` FOLDER`. */
static bool is_in_folders(const char *path, const char *folders)
{
	bool within = false;

	while (*folders && !within) {
		size_t n = strcspn(folders, "\n");
		char *folder = str_print("%.*s", (int)n - 1, folders + 1);
		char *real = folder ? realpath(folder, NULL) : NULL;
		within = real && path_is_within(path, real);
		free(real);
		free(folder);
		folders += n + (folders[n] == '\n');
	}
	return within;
}

enum asc_status manifest_check_within(const char *text, const char *within, const char *folders,
				      struct asc_err *e)
{
	struct buf path = {0};
	enum asc_status s = ASC_OK;

	while (s == ASC_OK && next_path(&text, &path))
		if (!path_is_within(buf_str(&path), within) &&
		    !is_in_folders(buf_str(&path), folders))
			s = asc_err_set(e, ASC_INPUT,
					"the compiler has read %s, which is not in %s",
					buf_str(&path), within);
	if (s == ASC_OK)
		s = buf_check(&path, e);
	buf_fini(&path);
	return s;
}

bool manifest_is_current(const char *text)
{
	struct buf path = {0};
	char key[HASH_TEXT_SIZE];
	struct asc_err e;
	bool same = true;

	for (const char *line = text; same && next_path(&text, &path); line = text)
		same = path.len > 0 && sources_key(buf_str(&path), key, &e) == ASC_OK &&
		       strncmp(key, line, HASH_TEXT_SIZE - 1) == 0;
	buf_fini(&path);
	return same;
}

bool manifest_holds(const char *text)
{
	static struct {
		unsigned watches;
		uint64_t digest; /* of a list that held */
	} known[8];
	const uint64_t digest = hash_bytes(text, strlen(text));
	const size_t place = digest % (sizeof known / sizeof *known);

	if (known[place].watches == sources_watches() && known[place].digest == digest)
		return true;
	if (!manifest_is_current(text))
		return false;
	known[place].watches = sources_watches();
	known[place].digest = digest;
	return true;
}
