#include "tuner/base/sources.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"

enum { MAX_FILES = 1000, MAX_FILE_BYTES = 64 << 20 };

struct source { /* one file as it was when it was read */
	struct source *next;
	struct stat seen;
	char key[HASH_TEXT_SIZE];
	char *includes; /* paths one after the other, each ended by NUL, then an empty one */
	unsigned visit; /* the newest sources_hash() that added it */
};

static struct source *known;

static bool is_as_seen(const struct source *s, const struct stat *now)
{
	return s->seen.st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       s->seen.st_mtim.tv_nsec == now->st_mtim.tv_nsec && s->seen.st_size == now->st_size;
}

/* The file that a line includes: *name of the returned length, 0 for none. */
static size_t find_include(const char *line, const char **name)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return 0;
	line += 1 + strspn(line + 1, " \t");
	if (strncmp(line, "include", 7) != 0)
		return 0;
	line += 7 + strspn(line + 7, " \t");
	if (*line != '"')
		return 0;
	*name = line + 1;
	size_t n = strcspn(*name, "\"\n");
	return (*name)[n] == '"' ? n : 0;
}

static void collect_includes(const char *text, const char *folder, struct buf *out)
{
	for (const char *line = text; *line; line += *line == '\n') {
		const char *name = NULL;
		size_t n = find_include(line, &name);
		if (n && *name == '/')
			buf_print(out, "%.*s", (int)n, name);
		else if (n)
			buf_print(out, "%s/%.*s", folder, (int)n, name);
		if (n)
			buf_add_char(out, '\0');
		line += strcspn(line, "\n");
	}
	buf_add_char(out, '\0');
}

static enum asc_status make_key(struct source *s, const struct buf *text, struct asc_err *e)
{
	struct hash *h = hash_new();

	if (!h)
		return asc_err_nomem(e);
	hash_add(h, buf_str(text), text->len);
	hash_print(h, s->key);
	hash_free(h);
	return ASC_OK;
}

/* A failed read leaves what is known as it was: older than the file. */
static enum asc_status source_read(struct source *s, const char *path, struct asc_err *e)
{
	struct buf text = {0}, includes = {0};
	char *folder = path_folder(path);
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK)
		status = file_read(path, MAX_FILE_BYTES, &text, e);
	if (status == ASC_OK)
		status = make_key(s, &text, e);
	if (status == ASC_OK) {
		collect_includes(buf_str(&text), folder, &includes);
		status = buf_check(&includes, e);
	}
	if (status == ASC_OK) {
		free(s->includes);
		s->includes = buf_take(&includes);
	}
	free(folder);
	buf_fini(&includes);
	buf_fini(&text);
	return status;
}

/* By what the file is, not by its name: `../a/x.h` has many. */
static struct source *source_find(const struct stat *now)
{
	struct source *s = known;

	while (s && (s->seen.st_ino != now->st_ino || s->seen.st_dev != now->st_dev))
		s = s->next;
	return s;
}

static struct source *source_add(const struct stat *now)
{
	struct source *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->seen.st_ino = now->st_ino;
	s->seen.st_dev = now->st_dev;
	s->next = known;
	known = s;
	return s;
}

/* The file as it is now, or NULL. */
static struct source *source_get(const char *path, const struct stat *now, struct asc_err *e)
{
	struct source *s = source_find(now);

	if (!s)
		s = source_add(now);
	if (!s) {
		asc_err_nomem(e);
		return NULL;
	}
	if (s->includes && is_as_seen(s, now))
		return s;
	if (source_read(s, path, e))
		return NULL;
	s->seen = *now;
	return s;
}

struct walk {
	struct hash *hash;
	struct source *todo[MAX_FILES];
	size_t n;
	unsigned visit;
};

static enum asc_status walk_add(struct walk *w, const char *path, struct asc_err *e)
{
	struct stat now;

	if (stat(path, &now) != 0)
		return file_fail(e, "read", path);
	if (!S_ISREG(now.st_mode))
		return asc_err_set(e, ASC_IO, "cannot read %s: it is not a regular file", path);
	struct source *s = source_get(path, &now, e);
	if (!s)
		return e->status;
	if (s->visit == w->visit)
		return ASC_OK;
	if (w->n == MAX_FILES)
		return asc_err_set(e, ASC_LIMIT, "%s: more than %d files include each other", path,
				   MAX_FILES);
	s->visit = w->visit;
	w->todo[w->n++] = s;
	hash_add_str(w->hash, s->key);
	return ASC_OK;
}

enum asc_status sources_hash(const char *path, struct hash *h, struct asc_err *e)
{
	static unsigned visits;
	struct walk *w = calloc(1, sizeof *w);

	if (!w)
		return asc_err_nomem(e);
	w->hash = h;
	w->visit = ++visits;
	enum asc_status s = walk_add(w, path, e);
	for (size_t i = 0; i < w->n && s == ASC_OK; i++)
		for (const char *p = w->todo[i]->includes; *p && s == ASC_OK; p += strlen(p) + 1)
			s = file_exists(p) ? walk_add(w, p, e) : ASC_OK;
	free(w);
	return s;
}
