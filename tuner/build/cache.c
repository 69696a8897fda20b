#include "tuner/build/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include "tuner/base/log.h"
#include "tuner/base/owner.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"

enum { STALE_SECONDS = 24 * 60 * 60, SEAL_BYTES = 256, ROOM_BYTES = 256 << 10 };

static const char scratch_prefix[] = "tmp-";

enum { SCRATCH_TRIES = 10 };

struct cache {
	char *folder;
	char *scratch_prefix; /* tmp-HOST-, of the folders that this machine's processes make */
	int locks;            /* file whose bytes are the locks of keys; -1: there are none */
	char *scratch;        /* this process's, NULL: not made so far */
};

void cache_drop_scratch(const char *folder)
{
	dir_remove(folder);
}

/* Removes scratch folders of processes that were killed. */
static void sweep(const struct cache *c)
{
	const size_t own = strlen(c->scratch_prefix);
	DIR *d = opendir(c->folder);
	struct stat st;

	for (struct dirent *f; d && (f = readdir(d));) {
		const char *name = f->d_name;

		if (strncmp(name, scratch_prefix, strlen(scratch_prefix)) != 0)
			continue;
		/* Other machines may share the cache: of their processes only the age is known, and
		 * no run goes for a day without a build. */
		const long pid = strncmp(name, c->scratch_prefix, own) == 0
					 ? strtol(name + own, NULL, 10)
					 : 0;
		const bool ended = pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;

		if (!ended && (fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			       st.st_mtim.tv_sec > time(NULL) - STALE_SECONDS))
			continue;
		char *path = path_join(c->folder, name);
		cache_drop_scratch(path);
		free(path);
	}
	if (d)
		closedir(d);
}

/* ---- locks ---- */

/* Locks or unlocks the byte that stands for the key: of 2^60, so that two keys hardly share one. */
static bool set_lock(const struct cache *c, const char *key, short type)
{
	enum { DIGITS = 15 };
	char digits[DIGITS + 1] = "";

	memcpy(digits, key, DIGITS);
	struct flock byte = {.l_type = type,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t)strtoll(digits, NULL, 16),
			     .l_len = 1};
	return fcntl(c->locks, F_OFD_SETLK, &byte) == 0;
}

bool cache_lock(struct cache *c, const char *key)
{
	return c->locks < 0 || set_lock(c, key, F_WRLCK) || (errno != EAGAIN && errno != EACCES);
}

void cache_unlock(struct cache *c, const char *key)
{
	if (c->locks >= 0)
		(void)set_lock(c, key, F_UNLCK);
}

enum asc_status cache_open(const char *folder, struct cache **out, struct asc_err *e)
{
	struct cache *c = calloc(1, sizeof *c);
	char host[256] = "", *lock = NULL, *secret;

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	(void)gethostname(host, sizeof host - 1); /* without a name, "" is one too */
	c->locks = -1;
	secret = places_secret(folder);
	c->folder = path_join(folder, "artifacts");
	c->scratch_prefix = str_print("%s%s-", scratch_prefix, host);
	enum asc_status s = c->folder && c->scratch_prefix && secret ? dir_make(c->folder, e)
								     : asc_err_nomem(e);
	/* Compilers and workers read the cache, and may read what is around it. */
	if (s == ASC_OK)
		s = sandbox_hide(secret, e);
	free(secret);
	/* Artifacts are run: a folder that others may write is none. */
	if (s == ASC_OK)
		s = owner_check_folder(c->folder, e);
	if (s) {
		cache_close(c);
		return s;
	}
	sweep(c);
	/* One file for all keys: nothing is left behind for each. Without it two processes build
	 * the same twice, and either's artifact will do. */
	lock = path_join(c->folder, "lock");
	if (lock)
		c->locks = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	free(lock);
	*out = c;
	return ASC_OK;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	if (c->locks >= 0)
		close(c->locks);
	dir_remove(c->scratch);
	free(c->scratch);
	free(c->folder);
	free(c->scratch_prefix);
	free(c);
}

char *cache_path(const struct cache *c, const char *key, const char *suffix)
{
	return str_print("%s/%.2s/%s%s", c->folder, key, key, suffix);
}

/* -1: there is no file, or none that may be used. */
static off_t file_bytes(const char *path)
{
	struct stat st;
	struct asc_err e;

	if (!path || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	if (owner_check_file(path, &e) == ASC_OK)
		return st.st_size;
	log_print(LOG_WARN, "%s", e.text);
	return -1;
}

/* Fails where the folder of a key is not to be trusted with it. `make`: makes the folder. */
static enum asc_status check_shelf(const struct cache *c, const char *key, bool make,
				   struct asc_err *e)
{
	char *path = str_print("%s/%.2s", c->folder, key);
	enum asc_status s = path ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK && make)
		s = dir_make(path, e);
	if (s == ASC_OK)
		s = owner_check_folder(path, e);
	free(path);
	return s;
}

static void read_log(const char *path, struct buf *log)
{
	struct asc_err e;

	if (file_bytes(path) > 0)
		(void)file_read(path, CACHE_LOG_BYTES, log, &e); /* the artifact counts */
}

void cache_entry_fini(struct cache_entry *e)
{
	buf_fini(&e->metadata);
	buf_fini(&e->log);
	buf_fini(&e->files);
	*e = (struct cache_entry){0};
}

/* ---- seals ---- */

static const char runs_word[] = " .runs\n"; /* behind the digest of what runs */

/* Prints the seal of an artifact in `file` ("": there is none) and of metadata. The digest of what
 * runs is made of it where entry->runs has none. */
static enum asc_status seal_of(const char *file, struct cache_entry *entry, struct buf *seal,
			       struct asc_err *e)
{
	char digest[ARTIFACT_DIGEST_SIZE];
	struct buf bytes = {0};
	enum asc_status s = *file ? file_read(file, 0, &bytes, e) : ASC_OK;

	if (s == ASC_OK && *file) {
		artifact_digest(buf_str(&bytes), bytes.len, entry->digest);
		buf_print(seal, "%s\n", entry->digest);
		if (!*entry->runs)
			s = run_digest(buf_str(&bytes), bytes.len, entry->runs, e);
	}
	if (entry->metadata.len) {
		artifact_digest(entry->metadata.data, entry->metadata.len, digest);
		buf_print(seal, "%s .json\n", digest);
	}
	if (*file)
		buf_print(seal, "%s%s", entry->runs, runs_word);
	buf_fini(&bytes);
	return s ? s : buf_check(seal, e);
}

/* Takes the digest of what runs out of a seal; one of an older version has none. */
static void take_runs(const char *seal, char runs[RUN_DIGEST_SIZE])
{
	const char *word = strstr(seal, runs_word), *line = word;

	while (line && line > seal && line[-1] != '\n')
		line--;
	if (word && word - line < RUN_DIGEST_SIZE) {
		memcpy(runs, line, (size_t)(word - line));
		runs[word - line] = '\0';
	}
}

/* True when artifact and metadata are as they were kept. A disk may have lost a part, and a load
 * would fail for ever; and a process may have been killed between the two. */
static bool is_whole(const char *file, const char *sealed, struct cache_entry *entry)
{
	struct buf have = {0}, wanted = {0};
	struct asc_err e;
	bool whole = sealed && file_read(sealed, SEAL_BYTES, &wanted, &e) == ASC_OK;

	if (whole)
		take_runs(buf_str(&wanted), entry->runs);
	const bool old = whole && *file && !*entry->runs;

	whole = whole && seal_of(file, entry, &have, &e) == ASC_OK && have.len > 0;
	if (old && whole)
		buf_print(&wanted, "%s%s", entry->runs, runs_word);
	whole = whole && strcmp(buf_str(&have), buf_str(&wanted)) == 0;
	buf_fini(&have);
	buf_fini(&wanted);
	if (!whole)
		log_print(LOG_DEBUG, "%s does not hold: it is built again", sealed ? sealed : "");
	return whole;
}

void cache_find(const struct cache *c, const char *key, const char *suffix, struct cache_entry *out)
{
	char *artifact = cache_path(c, key, suffix), *sealed = cache_path(c, key, ".sum");
	char *said = cache_path(c, key, ".log"), *failed = cache_path(c, key, ".failed");
	char *metadata = cache_path(c, key, ".json");
	struct asc_err e;
	/* An entry that is not to be trusted counts as absent; the build that follows says why. */
	bool sound = check_shelf(c, key, false, &e) == ASC_OK;
	bool built = sound && file_bytes(artifact) > 0;
	bool planned = sound && !built && file_bytes(metadata) > 0;

	if ((built || planned) && file_bytes(metadata) > 0)
		(void)file_read(metadata, 0, &out->metadata, &e); /* the seal says if it is whole */
	if ((built || planned) && is_whole(built ? artifact : "", sealed, out)) {
		out->outcome = built ? ARTIFACT_BUILT : ARTIFACT_PLANNED;
		read_log(said, &out->log);
	} else if (sound && file_bytes(failed) > 0) {
		cache_entry_fini(out);
		out->outcome = ARTIFACT_REFUSED;
		read_log(failed, &out->log);
	} else {
		cache_entry_fini(out);
	}
	free(metadata);
	free(failed);
	free(said);
	free(sealed);
	free(artifact);
}

void cache_read_files(const struct cache *c, const char *key, struct buf *files)
{
	char *path = cache_path(c, key, ".files");
	struct asc_err e;

	if (!path || (file_exists(path) && file_read(path, 0, files, &e)))
		buf_add_str(files, "unreadable\n"); /* no line of a list: it does not hold */
	free(path);
}

static enum asc_status keep_text(struct cache *c, const char *key, const char *suffix,
				 const struct buf *text, struct asc_err *e)
{
	char *path = cache_path(c, key, suffix);
	enum asc_status s =
		path ? file_replace(path, buf_str(text), text->len, e) : asc_err_nomem(e);

	free(path);
	return s;
}

/* Keeps a text, or removes the file of an empty one. */
static enum asc_status keep_or_drop(struct cache *c, const char *key, const char *suffix,
				    const struct buf *text, struct asc_err *e)
{
	if (text->len)
		return keep_text(c, key, suffix, text, e);
	char *path = cache_path(c, key, suffix);
	if (path)
		(void)unlink(path);
	free(path);
	return path ? ASC_OK : asc_err_nomem(e);
}

/* Writes log, list, metadata and seal, before the artifact: who reads that finds them, and what was
 * there before does not fit the seal. */
static enum asc_status keep_parts(struct cache *c, const char *key, const char *file,
				  struct cache_entry *entry, struct asc_err *e)
{
	struct buf seal = {0};

	if (keep_or_drop(c, key, ".log", &entry->log, e) ||
	    keep_or_drop(c, key, ".files", &entry->files, e) ||
	    keep_or_drop(c, key, ".json", &entry->metadata, e))
		return e->status;
	enum asc_status s = seal_of(file, entry, &seal, e);
	if (s == ASC_OK)
		s = keep_text(c, key, ".sum", &seal, e);
	buf_fini(&seal);
	return s;
}

enum asc_status cache_keep(struct cache *c, const char *key, const char *suffix, const char *file,
			   struct cache_entry *entry, struct asc_err *e)
{
	char *path = cache_path(c, key, suffix);
	bool built = entry->outcome == ARTIFACT_BUILT;
	enum asc_status s = path ? check_shelf(c, key, true, e) : asc_err_nomem(e);

	if (s == ASC_OK && entry->outcome == ARTIFACT_REFUSED) {
		s = keep_text(c, key, ".failed", &entry->log, e);
	} else if (s == ASC_OK) {
		if (built && file_bytes(file) <= 0)
			s = asc_err_set(e, ASC_CHILD,
					"the compiler ended well but made no artifact");
		if (s == ASC_OK)
			s = keep_parts(c, key, built ? file : "", entry, e);
		/* Last, and at once: an artifact is there whole or not at all. */
		if (s == ASC_OK && built && rename(file, path) != 0)
			s = file_fail(e, "rename an artifact to", path);
	}
	free(path);
	return s;
}

bool cache_is_full(const struct cache *c)
{
	struct statvfs disk;

	return statvfs(c->folder, &disk) == 0 && (disk.f_bavail * disk.f_frsize < ROOM_BYTES ||
						  (disk.f_files > 0 && disk.f_favail == 0));
}

enum asc_status cache_scratch_root(struct cache *c, const char **out, struct asc_err *e)
{
	*out = c->scratch;
	if (c->scratch && file_exists(c->scratch))
		return ASC_OK;
	*out = NULL;
	char *made = NULL;
	enum asc_status s = ASC_OK;
	bool is_made = false, is_gone = true;

	/* The folder of the cache too, where it was removed since it was opened; again where
	 * somebody who is removing the cache takes that away as well, but not for ever. */
	for (int tries = 0; tries < SCRATCH_TRIES && s == ASC_OK && !is_made && is_gone; tries++) {
		free(made);
		made = str_print("%s/%s%ld-XXXXXX", c->folder, c->scratch_prefix, (long)getpid());
		s = made ? dir_make(c->folder, e) : asc_err_nomem(e);
		is_made = s == ASC_OK && mkdtemp(made);
		is_gone = errno == ENOENT;
	}
	if (s == ASC_OK && !is_made)
		s = file_fail(e, "make a folder in", c->folder);
	if (s) {
		free(made);
		return s;
	}
	free(c->scratch);
	*out = c->scratch = made;
	guard_add_folder(made);
	return ASC_OK;
}

enum asc_status cache_scratch(struct cache *c, char **out, struct asc_err *e)
{
	const char *root;

	*out = NULL;
	if (cache_scratch_root(c, &root, e))
		return e->status;
	*out = str_print("%s/XXXXXX", root);
	if (!*out)
		return asc_err_nomem(e);
	if (mkdtemp(*out))
		return ASC_OK;
	file_fail(e, "make a folder in", root);
	free(*out);
	*out = NULL;
	return e->status;
}
