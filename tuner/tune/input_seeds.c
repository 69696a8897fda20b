#include "tuner/tune/input_seeds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/base/md5.h"
#include "tuner/base/owner.h"
#include "tuner/base/units.h"
#include "tuner/worker/inputs.h"
#include "tuner/workload/binding/binding.h"

/* ---- the secret ---- */

/* Reads it; false leaves the reason in `e`, its status ASC_NOTFOUND where nothing is there. */
static bool read_secret(const char *path, unsigned char *secret, struct asc_err *e)
{
	struct stat st = {0};
	struct buf text = {0};
	bool right = false;

	if (lstat(path, &st) != 0 && errno == ENOENT) {
		asc_err_set(e, ASC_NOTFOUND, "%s is gone", path);
	} else if (S_ISLNK(st.st_mode) && access(path, F_OK) != 0 && errno == ENOENT) {
		/* It has to be replaced: a first one does not take its place. */
		asc_err_set(e, ASC_INPUT, "%s is a link to nothing", path);
	} else if (owner_check_file(path, e) == ASC_OK &&
		   file_read(path, INPUT_SEEDS_SECRET + 1, &text, e) == ASC_OK) {
		right = text.len == INPUT_SEEDS_SECRET;
		if (right)
			memcpy(secret, text.data, INPUT_SEEDS_SECRET);
		else
			asc_err_set(e, ASC_INPUT, "%s has %zu bytes, not %d", path, text.len,
				    INPUT_SEEDS_SECRET);
	}
	buf_fini(&text);
	return right;
}

/* Writes it: beside its place first, then there. Of several processes that make the first one, one
 * wins, and *won is false for the others. A bad file is replaced. */
static enum asc_status write_secret(const char *path, const unsigned char *secret, bool replaces,
				    bool *won, struct asc_err *e)
{
	char *beside = str_print("%s.%ld", path, (long)getpid());
	enum asc_status s = ASC_OK;

	if (!beside)
		return asc_err_nomem(e);
	(void)unlink(beside);
	const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const bool whole = fd >= 0 && file_write_all(fd, secret, INPUT_SEEDS_SECRET);

	if (fd < 0 || close(fd) != 0 || !whole)
		s = file_fail(e, "write", path);
	*won = s == ASC_OK && (replaces ? rename(beside, path) : link(beside, path)) == 0;
	if (!s && !*won && errno != EEXIST)
		s = file_fail(e, "write", path);
	(void)unlink(beside);
	free(beside);
	return s;
}

/* True where this cache has had a secret: it has references of inputs that one made. */
static bool had_secret(const char *cache)
{
	char *folder = path_join(cache, "reference");
	DIR *d = folder ? opendir(folder) : NULL;
	bool had = false;

	for (struct dirent *entry; d && !had && (entry = readdir(d));) {
		/* KEY-SEED...: the first set's seed has one digit (reference_path()). */
		const char *seed = strchr(entry->d_name, '-');

		had = seed && strspn(seed + 1, "0123456789abcdef") == MD5_TEXT_SIZE - 1;
	}
	if (d)
		closedir(d);
	free(folder);
	return had;
}

/* Draws a secret and keeps it. `why`: why there is none. */
static enum asc_status make_secret(const char *path, const char *cache, const struct asc_err *why,
				   struct input_seeds *out, struct asc_err *e)
{
	const bool gone = why->status == ASC_NOTFOUND, had = had_secret(cache);
	struct asc_err trouble;
	bool won = true;

	if (getentropy(out->secret, sizeof out->secret) != 0)
		return asc_err_set(e, ASC_IO, "no random numbers for seeds of inputs: %s",
				   strerror(errno));
	if (write_secret(path, out->secret, !gone, &won, &trouble)) {
		if (trouble.status == ASC_NOMEM)
			return asc_err_nomem(e);
		log_print(LOG_NOTE, "%s: further inputs have seeds of this run alone",
			  trouble.text);
		return ASC_OK;
	}
	if (!won) /* another process has made one meanwhile */
		return read_secret(path, out->secret, e) ? ASC_OK : e->status;
	if (had || !gone)
		log_print(LOG_NOTE, "%s: made anew: further inputs have other seeds from now on",
			  why->text);
	return ASC_OK;
}

enum asc_status input_seeds_open(const char *cache, struct input_seeds *out, struct asc_err *e)
{
	char *path = places_secret(cache);
	struct asc_err why = {0};
	enum asc_status s = path ? ASC_OK : asc_err_nomem(e);

	*out = (struct input_seeds){0};
	if (!s && !read_secret(path, out->secret, &why))
		s = why.status == ASC_NOMEM ? asc_err_nomem(e)
					    : make_secret(path, cache, &why, out, e);
	out->has_secret = s == ASC_OK;
	free(path);
	return s;
}

/* ---- seeds ---- */

bool input_seeds_parse(const char *text, struct input_seeds *out)
{
	char *copy = str_dup(text), *at = copy;
	bool right = copy != NULL;

	*out = (struct input_seeds){0};
	for (char *next = at; right && next; at = next) {
		uint64_t seed = 0;

		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		right = out->n_given < WORKLOAD_MAX_SETS - 1 && units_parse_count(at, &seed) &&
			seed > INPUTS_SEED && seed < INPUT_SEEDS_BELOW;
		for (size_t i = 0; right && i < out->n_given; i++)
			right = out->given[i] != seed;
		if (right)
			out->given[out->n_given++] = seed;
	}
	free(copy);
	return right;
}

/* Seed of a set: from the digest of secret, problem and set, which tells nothing of the secret. */
static uint64_t derive(const struct input_seeds *s, const struct binding *b, size_t set)
{
	enum { DIGITS = 13 }; /* 52 bits */
	unsigned char all[INPUT_SEEDS_SECRET + HASH_TEXT_SIZE + 1] = {0};
	char digest[MD5_TEXT_SIZE];

	memcpy(all, s->secret, sizeof s->secret);
	memcpy(all + sizeof s->secret, b->key, HASH_TEXT_SIZE);
	all[sizeof all - 1] = (unsigned char)set;
	md5_print(all, sizeof all, digest);
	digest[DIGITS] = '\0';
	const uint64_t seed = strtoull(digest, NULL, 16);

	return seed > INPUTS_SEED ? seed : seed + INPUTS_SEED + set;
}

size_t input_seeds_find(const struct input_seeds *s, const struct binding *b,
			uint64_t seeds[WORKLOAD_MAX_SETS])
{
	size_t n = 1;

	seeds[0] = INPUTS_SEED;
	if (!b)
		return 1;
	if (b->problem->n_sets > 0) {
		for (; n < b->problem->n_sets; n++)
			seeds[n] = INPUTS_SEED;
		return n;
	}
	for (size_t i = 0; s && i < s->n_given; i++)
		seeds[n++] = s->given[i];
	for (; s && s->has_secret && n <= INPUT_SEEDS_FURTHER; n++)
		seeds[n] = derive(s, b, n);
	return n;
}
