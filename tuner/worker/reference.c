#include "tuner/worker/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/base/owner.h"
#include "tuner/base/units.h"
#include "tuner/worker/inputs.h"
#include "tuner/workload/binding/binding.h"

bool reference_has(const struct binding *b, size_t i)
{
	return b->tensors[i].present && b->workload->tensors[i].role != ROLE_IN;
}

size_t reference_bytes(const struct binding *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (reference_has(b, i))
			n += (size_t)b->tensors[i].count * sizeof(double);
	return n;
}

char *reference_path(const char *cache, const struct binding *b, uint64_t seed)
{
	return str_print("%s/reference/%s-%" PRIu64 ".%d.f64", cache, b->key, seed, INPUTS_VERSION);
}

static bool has_size(const struct stat *st, const struct binding *b)
{
	return S_ISREG(st->st_mode) &&
	       st->st_size == (off_t)(reference_bytes(b) + sizeof(uint64_t));
}

bool reference_is_kept(const char *cache, const struct binding *b, uint64_t seed)
{
	char *path = reference_path(cache, b, seed);
	struct stat st;
	const bool kept = path && lstat(path, &st) == 0 && has_size(&st, b);

	free(path);
	return kept;
}

/* ---- mapping ---- */

/* A kernel may have lowered the limit of the process that it runs in. */
static enum asc_status fail_map(int error, struct asc_err *e)
{
	struct rlimit limit;
	char bytes[UNITS_TEXT_SIZE];

	if (error != ENOMEM)
		return asc_err_set(e, ASC_IO, "cannot map the reference: %s", strerror(error));
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return asc_err_set(e, ASC_NOMEM, "no memory for the reference");
	return asc_err_set(e, ASC_NOMEM,
			   "no address space for the reference: the process is limited to %s "
			   "(RLIMIT_AS), by the kernel or by the user",
			   units_print_bytes((double)limit.rlim_cur, bytes));
}

enum asc_status reference_map(struct reference *r, const struct binding *b, struct asc_err *e)
{
	struct stat st;

	if (r->map || r->bytes == 0)
		return ASC_OK;
	if (fstat(r->file, &st) != 0 || st.st_dev != r->device || st.st_ino != r->number)
		return asc_err_set(e, ASC_INPUT, "the reference's file was closed or replaced");
	void *map = mmap(NULL, r->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, r->file, 0);
	if (map == MAP_FAILED)
		return fail_map(errno, e);
	const double *at = r->map = map;
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		r->has[i] = reference_has(b, i);
		r->tensors[i] = r->has[i] ? at : NULL;
		if (r->has[i])
			at += b->tensors[i].count;
	}
	return ASC_OK;
}

void reference_unmap(struct reference *r)
{
	if (!r->map)
		return;
	munmap(r->map, r->bytes);
	r->map = NULL;
	memset(r->tensors, 0, sizeof r->tensors);
}

void reference_close(struct reference *r)
{
	reference_unmap(r);
	if (r->bytes)
		close(r->file);
	*r = (struct reference){0};
}

/* ---- the file ---- */

/* The file ends with the XXH3-64 of what precedes it. */
static bool is_whole(const void *file, size_t bytes)
{
	uint64_t sum;

	memcpy(&sum, (const char *)file + bytes, sizeof sum);
	return sum == hash_bytes(file, bytes);
}

enum asc_status reference_check_owner(const char *cache, const struct binding *b, uint64_t seed,
				      struct asc_err *e)
{
	char *path = reference_path(cache, b, seed), *folder = path ? path_folder(path) : NULL;
	enum asc_status s = folder ? owner_check_folder(folder, e) : asc_err_nomem(e);

	if (s == ASC_OK && owner_check_file(path, e)) {
		log_print(LOG_WARN, "%s", e->text);
		(void)unlink(path);
	}
	free(folder);
	free(path);
	return s;
}

/* Maps an open file, which is closed where its size or its sum is wrong. */
static enum asc_status take_file(int fd, const char *path, const struct binding *b,
				 struct reference *r, struct asc_err *e)
{
	const size_t bytes = reference_bytes(b);
	struct stat st;

	*r = (struct reference){.file = file_raise(fd), .bytes = bytes + sizeof(uint64_t)};
	if (fstat(r->file, &st) != 0)
		return asc_err_set(e, ASC_IO, "cannot read %s: %s", path, strerror(errno));
	if (!has_size(&st, b)) {
		reference_close(r);
		return ASC_OK;
	}
	r->device = st.st_dev;
	r->number = st.st_ino;
	if (reference_map(r, b, e))
		return asc_err_wrap(e, "%s", path);
	if (!is_whole(r->map, bytes)) {
		log_print(LOG_DEBUG, "%s is damaged and is worked out again", path);
		reference_close(r);
	}
	return ASC_OK;
}

enum asc_status reference_open(const char *path, const struct binding *b, struct reference *r,
			       bool *found, struct asc_err *e)
{
	*found = reference_bytes(b) == 0;
	if (*found)
		return ASC_OK;
	/* A link or a pipe is no file of the cache's own: it will be replaced. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
		return ASC_OK;
	if (fd < 0)
		return asc_err_set(e, ASC_IO, "cannot read %s: %s", path, strerror(errno));
	enum asc_status s = take_file(fd, path, b, r, e);
	if (s)
		reference_close(r);
	*found = r->map != NULL;
	return s;
}

/* Without the file the reference is worked out again. */
void reference_move(const char *from, const char *to, const struct binding *b, uint64_t seed)
{
	char *file = reference_path(from, b, seed), *kept = reference_path(to, b, seed);
	char *folder = kept ? path_folder(kept) : NULL;
	struct reference there = {0};
	bool found = true;
	struct asc_err e;

	if (file && folder && file_exists(file) && dir_make(folder, &e) == ASC_OK &&
	    reference_open(kept, b, &there, &found, &e) == ASC_OK && !found &&
	    rename(file, kept) != 0)
		log_print(LOG_DEBUG, "%s is not kept: %s", kept, strerror(errno));
	reference_close(&there);
	free(folder);
	free(kept);
	free(file);
}
