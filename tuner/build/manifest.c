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

/* Stands in place of the digest, before the folder of the source. */
static const char from_mark[HASH_TEXT_SIZE] = "-------------source-------------";

enum asc_status manifest_print(const char *rule, const char *scratch, const char *folder,
			       struct buf *out, struct asc_err *e)
{
	const char *at = strstr(rule, ": ");
	struct buf word = {0};
	enum asc_status s = ASC_OK;
	size_t n = strlen(scratch), lines = 0;

	for (at = at ? at + 2 : ""; s == ASC_OK && next_word(&at, &word);) {
		if (strncmp(buf_str(&word), scratch, n) == 0)
			continue;
		if (lines++ == 0)
			buf_print(out, "%s %s\n", from_mark, folder);
		s = manifest_add(buf_str(&word), out, e);
	}
	if (s == ASC_OK)
		s = buf_check(&word, e) ? e->status : buf_check(out, e);
	buf_fini(&word);
	return s;
}

/* Lines of a list, one after the other. */
struct lines {
	const char *at;     /* what is left */
	const char *folder; /* of the source now, or NULL */
	struct buf from;    /* of the source when the list was made; "": not known */
	struct buf path;    /* of the line */
	char digest[HASH_TEXT_SIZE];
};

static void lines_fini(struct lines *l)
{
	buf_fini(&l->from);
	buf_fini(&l->path);
}

/* Length of the folders that two paths have in common, with the slash behind them; 1: none but the
 * root. */
static size_t common_length(const char *a, const char *b)
{
	size_t common = 0;

	for (size_t i = 0; a[i] == b[i] || (a[i] == '/' && !b[i]); i++) {
		if (a[i] == '/')
			common = i + 1;
		if (!b[i])
			break;
	}
	return common;
}

/* Moves the path of a line as its source was moved, if there is a file then. Folders of the root
 * are not moved: what two paths have in common has to be more than that. */
static void follow_source(struct lines *l)
{
	const char *path = buf_str(&l->path), *from = buf_str(&l->from);
	const size_t common = common_length(path, from);
	size_t ups = 0;

	if (common <= 1 || strcmp(from, l->folder) == 0)
		return;
	for (const char *at = from + common - 1; *at; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		ups += *at != '\0';
	}
	char *moved = str_dup(l->folder);

	for (; moved && ups > 0 && strrchr(moved, '/'); ups--)
		*strrchr(moved, '/') = '\0';
	char *whole = moved && ups == 0 ? str_print("%s/%s", moved, path + common) : NULL;

	if (whole && file_exists(whole)) {
		buf_clear(&l->path);
		buf_add_str(&l->path, whole);
	}
	free(whole);
	free(moved);
}

/* Takes the next file of the list; its path is "" where the line has none. */
static bool next_line(struct lines *l)
{
	for (;;) {
		const size_t n = strcspn(l->at, "\n");
		const char *path = l->at + (n < HASH_TEXT_SIZE ? n : HASH_TEXT_SIZE);

		if (!*l->at)
			return false;
		const bool from = strncmp(l->at, from_mark, sizeof from_mark - 1) == 0;
		struct buf *const to = from ? &l->from : &l->path;

		buf_clear(to);
		buf_add(to, path, (size_t)(l->at + n - path));
		memcpy(l->digest, l->at, n < sizeof l->digest ? n : sizeof l->digest - 1);
		l->digest[n < sizeof l->digest ? n : sizeof l->digest - 1] = '\0';
		l->at += n + (l->at[n] == '\n');
		if (from)
			continue;
		if (l->folder && l->from.len > 0)
			follow_source(l);
		return true;
	}
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

enum asc_status manifest_check_within(const char *text, const char *folder, const char *within,
				      const char *folders, struct asc_err *e)
{
	struct lines l = {.at = text, .folder = folder};
	enum asc_status s = ASC_OK;

	while (s == ASC_OK && next_line(&l))
		if (!path_is_within(buf_str(&l.path), within) &&
		    !is_in_folders(buf_str(&l.path), folders))
			s = asc_err_set(e, ASC_INPUT,
					"the compiler has read %s, which is not in %s",
					buf_str(&l.path), within);
	if (s == ASC_OK)
		s = buf_check(&l.path, e);
	lines_fini(&l);
	return s;
}

bool manifest_is_current(const char *text, const char *folder)
{
	struct lines l = {.at = text, .folder = folder};
	char key[HASH_TEXT_SIZE];
	struct asc_err e;
	bool same = true;

	while (same && next_line(&l))
		same = l.path.len > 0 && sources_key(buf_str(&l.path), key, &e) == ASC_OK &&
		       strcmp(key, l.digest) == 0;
	lines_fini(&l);
	return same;
}

bool manifest_holds(const char *text, const char *folder)
{
	static struct {
		unsigned watches;
		uint64_t digest; /* of a list that held, and of the folder */
	} known[8];
	const uint64_t digest =
		hash_bytes(text, strlen(text)) ^ 3 * hash_bytes(folder, strlen(folder));
	const size_t place = digest % (sizeof known / sizeof *known);

	if (known[place].watches == sources_watches() && known[place].digest == digest)
		return true;
	if (!manifest_is_current(text, folder))
		return false;
	known[place].watches = sources_watches();
	known[place].digest = digest;
	return true;
}
