#include "tuner/build/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { STALE_SECONDS = 24 * 60 * 60, MAX_OPEN = 8 };

static const char scratch_prefix[] = "tmp-";

struct cache {
	char *folder;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	(void)remove(path);
	return 0;
}

void cache_drop_scratch(const char *folder)
{
	if (folder)
		(void)nftw(folder, remove_one, MAX_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* Processes that were killed leave their scratch folders; no build takes a day. */
static void sweep(const struct cache *c)
{
	DIR *d = opendir(c->folder);

	for (struct dirent *f; d && (f = readdir(d));) {
		struct stat st;
		if (strncmp(f->d_name, scratch_prefix, strlen(scratch_prefix)) != 0 ||
		    fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    st.st_mtim.tv_sec > time(NULL) - STALE_SECONDS)
			continue;
		char *path = path_join(c->folder, f->d_name);
		cache_drop_scratch(path);
		free(path);
	}
	if (d)
		closedir(d);
}

enum asc_status cache_open(const char *folder, struct cache **out, struct asc_err *e)
{
	struct cache *c = calloc(1, sizeof *c);

	*out = NULL;
	if (c)
		c->folder = path_join(folder, "artifacts");
	if (!c || !c->folder) {
		cache_close(c);
		return asc_err_nomem(e);
	}
	if (dir_make(c->folder, e)) {
		cache_close(c);
		return e->status;
	}
	sweep(c);
	*out = c;
	return ASC_OK;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	free(c->folder);
	free(c);
}

char *cache_path(const struct cache *c, const char *key, const char *suffix)
{
	return str_print("%s/%.2s/%s%s", c->folder, key, key, suffix);
}

static off_t file_bytes(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : -1;
}

static void read_log(const char *path, struct buf *log)
{
	struct asc_err e;

	if (file_bytes(path) > 0)
		(void)file_read(path, CACHE_LOG_BYTES, log, &e); /* the artifact counts */
}

enum cache_answer cache_find(const struct cache *c, const char *key, const char *suffix,
			     struct buf *log)
{
	enum cache_answer answer = CACHE_NOTHING;
	char *artifact = cache_path(c, key, suffix);
	char *said = cache_path(c, key, ".log");
	char *failed = cache_path(c, key, ".failed");

	if (file_bytes(artifact) > 0) {
		answer = CACHE_ARTIFACT;
		read_log(said, log);
	} else if (file_bytes(failed) > 0) {
		answer = CACHE_FAILURE;
		read_log(failed, log);
	}
	free(failed);
	free(said);
	free(artifact);
	return answer;
}

static enum asc_status keep_text(struct cache *c, const char *key, const char *suffix,
				 const struct buf *text, struct asc_err *e)
{
	char *path = cache_path(c, key, suffix);
	enum asc_status s = path ? file_write(path, buf_str(text), text->len, e) : asc_err_nomem(e);

	free(path);
	return s;
}

static enum asc_status make_shelf(struct cache *c, const char *key, struct asc_err *e)
{
	char *path = str_print("%s/%.2s", c->folder, key);
	enum asc_status s = path ? dir_make(path, e) : asc_err_nomem(e);

	free(path);
	return s;
}

/* The log first: who sees the artifact can read it. */
enum asc_status cache_keep(struct cache *c, const char *key, const char *suffix, const char *file,
			   const struct buf *log, struct asc_err *e)
{
	char *path = cache_path(c, key, suffix);
	enum asc_status s = path ? make_shelf(c, key, e) : asc_err_nomem(e);

	if (s == ASC_OK && file_bytes(file) <= 0)
		s = asc_err_set(e, ASC_CHILD, "the compiler ended well but made no artifact");
	if (s == ASC_OK && log->len)
		s = keep_text(c, key, ".log", log, e);
	if (s == ASC_OK && rename(file, path) != 0)
		s = file_fail(e, "rename an artifact to", path);
	free(path);
	return s;
}

enum asc_status cache_keep_failure(struct cache *c, const char *key, const struct buf *log,
				   struct asc_err *e)
{
	enum asc_status s = make_shelf(c, key, e);

	return s == ASC_OK ? keep_text(c, key, ".failed", log, e) : s;
}

enum asc_status cache_scratch(struct cache *c, char **out, struct asc_err *e)
{
	*out = str_print("%s/%sXXXXXX", c->folder, scratch_prefix);
	if (!*out)
		return asc_err_nomem(e);
	if (mkdtemp(*out))
		return ASC_OK;
	file_fail(e, "make a folder in", c->folder);
	free(*out);
	*out = NULL;
	return e->status;
}
