#include "tuner/device/npu/npu_buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/units.h"

/* Data begins and ends at multiples of 64 bytes, as addresses of the runtime do. */
enum { ZONE_BYTES = 64 << 10, ALIGN = 64 };

struct device_buffer {
	char *base; /* of a zone, the data, the rest of its last ALIGN bytes, a zone */
	size_t total_bytes;
	size_t bytes;
	bool on_host; /* in pinned memory of the host, which kernels do not reach */
	bool read_only;
	uint64_t digest; /* of the data, while it is read-only */
};

static char *data_at(const struct device_buffer *b)
{
	return b->base + ZONE_BYTES;
}

/* Number of bytes from the end of the data on. */
static size_t tail_bytes(const struct device_buffer *b)
{
	return b->total_bytes - ZONE_BYTES - b->bytes;
}

/* Allocates the buffer's bytes and zones; NULL when it cannot. */
static char *reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];
	void *at = NULL;

	b->total_bytes = (b->bytes + ALIGN - 1) / ALIGN * ALIGN + 2 * (size_t)ZONE_BYTES;
	if (b->bytes > PTRDIFF_MAX - 3 * (size_t)ZONE_BYTES)
		(void)asc_err_set(e, ASC_NOMEM, "more than any device has");
	else if (npu_check(d,
			   b->on_host ? d->acl->host_alloc(&at, b->total_bytes)
				      : d->acl->alloc(&at, b->total_bytes, NPU_ALLOC_HUGE_FIRST),
			   b->on_host ? "aclrtMallocHost" : "aclrtMalloc", e) == ASC_OK)
		return at;
	(void)asc_err_wrap(e, "no %s for a buffer of %s",
			   b->on_host ? "pinned memory of the host" : "device memory",
			   units_print_bytes((double)b->bytes, text));
	return NULL;
}

/* Sets bytes of the buffer, on the device without a wait. */
static enum asc_status set(struct device *d, const struct device_buffer *b, char *at, int byte,
			   size_t n, struct asc_err *e)
{
	if (!b->on_host)
		return npu_set(d, at, byte, n, e);
	if (npu_wait(d, "what came before a fill", e))
		return e->status;
	memset(at, byte, n);
	return ASC_OK;
}

static enum asc_status buffer_new(struct device *d, size_t bytes, bool on_host,
				  struct device_buffer **out, struct asc_err *e)
{
	struct device_buffer *b = calloc(1, sizeof *b);

	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	b->bytes = bytes;
	b->on_host = on_host;
	b->base = reserve(d, b, e);
	if (!b->base) {
		free(b);
		return e->status;
	}
	if (set(d, b, b->base, DEVICE_PATTERN, ZONE_BYTES, e) ||
	    set(d, b, data_at(b) + bytes, DEVICE_PATTERN, tail_bytes(b), e)) {
		npu_buffer_release(d, b);
		return e->status;
	}
	*out = b;
	return ASC_OK;
}

enum asc_status npu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e)
{
	return buffer_new(d, bytes, false, out, e);
}

enum asc_status npu_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				      struct asc_err *e)
{
	return buffer_new(d, bytes, true, out, e);
}

/* Releases a buffer once the work on it has ended; on a lost device the memory stays. */
void npu_buffer_release(struct device *d, struct device_buffer *b)
{
	struct asc_err e;

	if (!b)
		return;
	if (!d->lost && npu_wait(d, "a buffer that is released", &e) == ASC_OK)
		(void)(b->on_host ? d->acl->host_free : d->acl->free)(b->base);
	free(b);
}

void *npu_buffer_address(const struct device_buffer *b)
{
	return b ? data_at(b) : NULL;
}

/* ---- copies: they do not wait for the stream ---- */

static enum asc_status copy_out(struct device *d, const struct device_buffer *b, const char *from,
				void *to, size_t bytes, struct asc_err *e)
{
	if (bytes > 0 && b->on_host)
		memcpy(to, from, bytes);
	if (bytes == 0 || b->on_host)
		return ASC_OK;
	return npu_check(d, d->acl->copy(to, bytes, from, bytes, NPU_DEVICE_TO_HOST),
			 "aclrtMemcpy from the device", e);
}

static enum asc_status copy_in(struct device *d, const struct device_buffer *b, const void *data,
			       size_t bytes, struct asc_err *e)
{
	if (bytes > 0 && b->on_host)
		memcpy(data_at(b), data, bytes);
	if (bytes == 0 || b->on_host)
		return ASC_OK;
	return npu_check(d, d->acl->copy(data_at(b), b->bytes, data, bytes, NPU_HOST_TO_DEVICE),
			 "aclrtMemcpy to the device", e);
}

/* Digest of the data, read piece by piece. */
static enum asc_status sum_up(struct device *d, const struct device_buffer *b, uint64_t *digest,
			      struct asc_err *e)
{
	uint64_t sums[2] = {0};

	for (size_t at = 0; at < b->bytes; at += NPU_PIECE_BYTES) {
		const size_t n = b->bytes - at < NPU_PIECE_BYTES ? b->bytes - at : NPU_PIECE_BYTES;

		if (copy_out(d, b, data_at(b) + at, d->piece, n, e))
			return e->status;
		sums[1] = hash_bytes(d->piece, n);
		sums[0] = hash_bytes(sums, sizeof sums);
	}
	*digest = sums[0];
	return ASC_OK;
}

/* Renews the digest: a write by the device itself is no change. */
static enum asc_status note_contents(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	if (!b->read_only)
		return ASC_OK;
	return npu_wait(d, "a write", e) ? e->status : sum_up(d, b, &b->digest, e);
}

enum asc_status npu_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				 size_t bytes, struct asc_err *e)
{
	if (device_check_room(b->bytes, bytes, e) || npu_wait(d, "what came before a copy", e) ||
	    copy_in(d, b, data, bytes, e))
		return e->status;
	return note_contents(d, b, e);
}

enum asc_status npu_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				size_t bytes, struct asc_err *e)
{
	if (device_check_room(b->bytes, bytes, e) || npu_wait(d, "what came before a copy", e))
		return e->status;
	return copy_out(d, b, data_at(b), data, bytes, e);
}

enum asc_status npu_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				struct asc_err *e)
{
	return set(d, b, data_at(b), byte, b->bytes, e) ? e->status : note_contents(d, b, e);
}

enum asc_status npu_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				   struct asc_err *e)
{
	b->read_only = read_only;
	return note_contents(d, b, e);
}

/* ---- looking at it ---- */

/* Looks whether all `n` bytes, less than a piece, hold the pattern. */
static enum asc_status is_pattern(struct device *d, const struct device_buffer *b, const char *at,
				  size_t n, bool *out, struct asc_err *e)
{
	if (copy_out(d, b, at, d->piece, n, e))
		return e->status;
	*out = n == 0 ||
	       (d->piece[0] == DEVICE_PATTERN && memcmp(d->piece, d->piece + 1, n - 1) == 0);
	return ASC_OK;
}

static enum asc_status find_harm(struct device *d, const struct device_buffer *b,
				 enum device_harm *harm, struct asc_err *e)
{
	bool front = false, tail = false;
	uint64_t digest = b->digest;

	if (is_pattern(d, b, b->base, ZONE_BYTES, &front, e) ||
	    is_pattern(d, b, data_at(b) + b->bytes, tail_bytes(b), &tail, e) ||
	    (b->read_only && sum_up(d, b, &digest, e)))
		return e->status;
	*harm = !front || !tail       ? DEVICE_STRAY
		: digest == b->digest ? DEVICE_UNHARMED
				      : DEVICE_CHANGED;
	return ASC_OK;
}

enum asc_status npu_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				enum device_harm *harms, struct asc_err *e)
{
	enum asc_status s = npu_wait(d, "what is looked at", e);

	for (size_t i = 0; i < n && !s; i++)
		s = find_harm(d, buffers[i], &harms[i], e);
	return s;
}
