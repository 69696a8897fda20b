#include "tuner/run/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/base/owner.h"
#include "tuner/binding/binding.h"
#include "tuner/run/inputs.h"

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

/* Without the file the reference is worked out again. */
void reference_move(const char *from, const char *to, const struct binding *b, uint64_t seed)
{
	char *file = reference_path(from, b, seed), *kept = reference_path(to, b, seed);
	char *folder = kept ? path_folder(kept) : NULL;
	struct asc_err e;

	if (file && folder && file_exists(file) && dir_make(folder, &e) == ASC_OK &&
	    rename(file, kept) != 0)
		log_print(LOG_DEBUG, "%s is not kept: %s", kept, strerror(errno));
	free(folder);
	free(kept);
	free(file);
}

static void set_tensors(struct reference *r, const struct binding *b)
{
	const double *at = r->map;

	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		r->tensors[i] = reference_has(b, i) ? at : NULL;
		if (reference_has(b, i))
			at += b->tensors[i].count;
	}
}

/* The file ends with the XXH3-64 of what precedes it. */
static bool is_whole(const void *file, size_t bytes)
{
	uint64_t sum;

	memcpy(&sum, (const char *)file + bytes, sizeof sum);
	return sum == hash_bytes(file, bytes);
}

/* Maps the numbers and the sum behind them. */
static enum asc_status map_file(int fd, const char *path, size_t bytes, struct reference *r,
				struct asc_err *e)
{
	size_t whole = bytes + sizeof(uint64_t);
	void *map = mmap(NULL, whole, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (map == MAP_FAILED)
		return asc_err_set(e, ASC_IO, "cannot map %s: %s", path, strerror(errno));
	r->map = map;
	r->bytes = whole;
	if (is_whole(map, bytes))
		return ASC_OK;
	log_print(LOG_DEBUG, "%s is damaged and is worked out again", path);
	reference_close(r);
	return ASC_OK;
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

enum asc_status reference_open(const char *path, const struct binding *b, struct reference *r,
			       bool *found, struct asc_err *e)
{
	struct stat st;
	enum asc_status s = ASC_OK;
	size_t bytes = reference_bytes(b);

	*found = bytes == 0;
	if (bytes == 0)
		return ASC_OK;
	/* A link or a pipe is no file of the cache's own: it will be replaced. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
		return ASC_OK;
	if (fd < 0 || fstat(fd, &st) != 0) {
		s = asc_err_set(e, ASC_IO, "cannot read %s: %s", path, strerror(errno));
		goto out;
	}
	if (S_ISREG(st.st_mode) && st.st_size == (off_t)(bytes + sizeof(uint64_t)))
		s = map_file(fd, path, bytes, r, e);
	if (r->map)
		set_tensors(r, b);
	*found = r->map != NULL;
out:
	if (fd >= 0)
		close(fd);
	return s;
}

void reference_close(struct reference *r)
{
	if (r->map)
		munmap(r->map, r->bytes);
	*r = (struct reference){0};
}
