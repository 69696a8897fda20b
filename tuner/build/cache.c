#include "tuner/build/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/build/manifest.h"

enum { STALE_SECONDS = 60 * 60, SEAL_BYTES = 64, ROOM_BYTES = 256 << 10 };

static const char scratch_prefix[] = "tmp-";

struct cache {
	char *folder;
	char *scratch_prefix; /* tmp-HOST-, of the folders that this machine's processes make */
};

void cache_drop_scratch(const char *folder)
{
	dir_remove(folder);
}

/* Made by a process of this machine that has ended? The cache may be shared with others. */
static bool is_orphan(const struct cache *c, const char *name)
{
	size_t n = strlen(c->scratch_prefix);
	long pid = strncmp(name, c->scratch_prefix, n) == 0 ? strtol(name + n, NULL, 10) : 0;

	return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Processes that were killed leave their scratch folders; no build takes an hour. */
static bool is_stale(const struct cache *c, int folder, const char *name)
{
	struct stat st;

	if (strncmp(name, scratch_prefix, strlen(scratch_prefix)) != 0)
		return false;
	if (is_orphan(c, name))
		return true;
	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_mtim.tv_sec <= time(NULL) - STALE_SECONDS;
}

static void sweep(const struct cache *c)
{
	DIR *d = opendir(c->folder);

	for (struct dirent *f; d && (f = readdir(d));) {
		if (!is_stale(c, dirfd(d), f->d_name))
			continue;
		char *path = path_join(c->folder, f->d_name);
		cache_drop_scratch(path);
		free(path);
	}
	if (d)
		closedir(d);
}

static bool set_names(struct cache *c, const char *folder)
{
	char host[256] = "";

	(void)gethostname(host, sizeof host - 1); /* without a name, "" is one too */
	c->folder = path_join(folder, "artifacts");
	c->scratch_prefix = str_print("%s%s-", scratch_prefix, host);
	return c->folder && c->scratch_prefix;
}

enum asc_status cache_open(const char *folder, struct cache **out, struct asc_err *e)
{
	struct cache *c = calloc(1, sizeof *c);

	*out = NULL;
	if (!c || !set_names(c, folder)) {
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
	free(c->scratch_prefix);
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

/* ---- seals: size and hash of an artifact ---- */

static enum asc_status seal_of(const char *file, struct buf *seal, struct asc_err *e)
{
	struct buf bytes = {0};
	enum asc_status s = file_read(file, 0, &bytes, e);

	if (s == ASC_OK)
		buf_print(seal, "%zu %016" PRIx64 "\n", bytes.len,
			  hash_bytes(bytes.data, bytes.len));
	buf_fini(&bytes);
	return s ? s : buf_check(seal, e);
}

/* Is the artifact what was kept? A disk may have lost a part of it, and a load would fail for ever.
 */
static bool is_whole(const char *artifact, const char *sealed)
{
	struct buf have = {0}, wanted = {0};
	struct asc_err e;
	bool whole = sealed && file_read(sealed, SEAL_BYTES, &wanted, &e) == ASC_OK &&
		     seal_of(artifact, &have, &e) == ASC_OK &&
		     strcmp(buf_str(&have), buf_str(&wanted)) == 0;

	buf_fini(&have);
	buf_fini(&wanted);
	if (!whole)
		log_print(LOG_DEBUG, "%s is damaged and is built again", artifact);
	return whole;
}

enum cache_answer cache_find(const struct cache *c, const char *key, const char *suffix,
			     struct buf *log)
{
	enum cache_answer answer = CACHE_NOTHING;
	char *artifact = cache_path(c, key, suffix);
	char *sealed = cache_path(c, key, ".sum");
	char *said = cache_path(c, key, ".log");
	char *failed = cache_path(c, key, ".failed");

	if (file_bytes(artifact) > 0 && is_whole(artifact, sealed)) {
		answer = CACHE_ARTIFACT;
		read_log(said, log);
	} else if (file_bytes(failed) > 0) {
		answer = CACHE_FAILURE;
		read_log(failed, log);
	}
	free(failed);
	free(said);
	free(sealed);
	free(artifact);
	return answer;
}

bool cache_is_current(const struct cache *c, const char *key)
{
	char *path = cache_path(c, key, ".files");
	struct buf files = {0};
	struct asc_err e;
	bool listed = path && file_exists(path);
	bool current = path && (!listed || (file_read(path, 0, &files, &e) == ASC_OK &&
					    manifest_holds(buf_str(&files))));

	if (!current)
		log_print(LOG_DEBUG, "%s does not hold", path ? path : key);
	buf_fini(&files);
	free(path);
	return current;
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

static enum asc_status keep_seal(struct cache *c, const char *key, const char *file,
				 struct asc_err *e)
{
	struct buf seal = {0};
	enum asc_status s = seal_of(file, &seal, e);

	if (s == ASC_OK)
		s = keep_text(c, key, ".sum", &seal, e);
	buf_fini(&seal);
	return s;
}

/* Log, list and seal first: who sees the artifact can read them. */
enum asc_status cache_keep(struct cache *c, const char *key, const char *suffix, const char *file,
			   const struct buf *files, const struct buf *log, struct asc_err *e)
{
	char *path = cache_path(c, key, suffix);
	enum asc_status s = path ? make_shelf(c, key, e) : asc_err_nomem(e);

	if (s == ASC_OK && file_bytes(file) <= 0)
		s = asc_err_set(e, ASC_CHILD, "the compiler ended well but made no artifact");
	if (s == ASC_OK && log->len)
		s = keep_text(c, key, ".log", log, e);
	if (s == ASC_OK && files->len)
		s = keep_text(c, key, ".files", files, e);
	if (s == ASC_OK)
		s = keep_seal(c, key, file, e);
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

bool cache_is_full(const struct cache *c)
{
	struct statvfs disk;

	return statvfs(c->folder, &disk) == 0 && (disk.f_bavail * disk.f_frsize < ROOM_BYTES ||
						  (disk.f_files > 0 && disk.f_favail == 0));
}

enum asc_status cache_scratch(struct cache *c, char **out, struct asc_err *e)
{
	*out = str_print("%s/%s%ld-XXXXXX", c->folder, c->scratch_prefix, (long)getpid());
	if (!*out)
		return asc_err_nomem(e);
	if (mkdtemp(*out))
		return ASC_OK;
	file_fail(e, "make a folder in", c->folder);
	free(*out);
	*out = NULL;
	return e->status;
}
