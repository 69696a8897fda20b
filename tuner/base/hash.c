#include "tuner/base/hash.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tuner/base/file.h"

enum { CHUNK_BYTES = 16384 };

struct hash {
	XXH3_state_t *state;
};

struct hash *hash_new(void)
{
	struct hash *h = calloc(1, sizeof *h);
	if (h)
		h->state = XXH3_createState();
	if (!h || !h->state || XXH3_128bits_reset(h->state) != XXH_OK) {
		hash_free(h);
		return NULL;
	}
	return h;
}

void hash_free(struct hash *h)
{
	if (!h)
		return;
	XXH3_freeState(h->state);
	free(h);
}

static void add_length(struct hash *h, uint64_t n)
{
	uint64_t stored = htole64(n);
	XXH3_128bits_update(h->state, &stored, sizeof stored);
}

void hash_add(struct hash *h, const void *data, size_t n)
{
	add_length(h, n);
	if (n)
		XXH3_128bits_update(h->state, data, n);
}

void hash_add_str(struct hash *h, const char *s)
{
	if (s)
		hash_add(h, s, strlen(s));
	else
		add_length(h, UINT64_MAX); /* no field is that long */
}

/* Adds exactly `size` bytes, the length that the field began with. */
static enum asc_status add_stream(struct hash *h, int fd, uint64_t size, const char *path,
				  struct asc_err *e)
{
	char chunk[CHUNK_BYTES];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return file_fail(e, "read", path);
		if ((uint64_t)n > size || (n == 0 && size > 0))
			return asc_err_set(e, ASC_IO, "%s changed while it was read", path);
		if (n == 0)
			return ASC_OK;
		XXH3_128bits_update(h->state, chunk, (size_t)n);
		size -= (uint64_t)n;
	}
}

enum asc_status hash_add_file(struct hash *h, const char *path, struct asc_err *e)
{
	struct stat st;
	enum asc_status status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0) {
		status = file_fail(e, "read", path);
	} else if (!S_ISREG(st.st_mode)) {
		status = asc_err_set(e, ASC_IO, "%s is not a regular file", path);
	} else {
		add_length(h, (uint64_t)st.st_size);
		status = add_stream(h, fd, (uint64_t)st.st_size, path, e);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

void hash_print(const struct hash *h, char text[HASH_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	XXH128_canonical_t bytes;
	XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(h->state));
	for (size_t i = 0; i < sizeof bytes.digest; i++) {
		text[2 * i] = digits[bytes.digest[i] >> 4];
		text[2 * i + 1] = digits[bytes.digest[i] & 15];
	}
	text[HASH_TEXT_SIZE - 1] = '\0';
}

uint64_t hash_bytes(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}
