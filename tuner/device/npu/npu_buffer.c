#include "tuner/device/npu/npu_buffer.h"

#include <stdint.h>
#include <string.h>

#include "tuner/base/hash.h"

enum { ALIGN = 64 }; /* of addresses of the runtime */

struct npu_buffer {
	struct device_buffer common;
	char *base; /* of the front zone */
};

static char *base(const struct device_buffer *b)
{
	return ((const struct npu_buffer *)b)->base;
}

void *npu_buffer_address(const struct device_buffer *b)
{
	return b ? base(b) + b->front_bytes : NULL;
}

static enum asc_status reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const size_t bytes = b->front_bytes + b->bytes + b->tail_bytes;
	void *at = NULL;
	const int rc = b->on_host ? d->acl->host_alloc(&at, bytes)
				  : d->acl->alloc(&at, bytes, NPU_ALLOC_HUGE_FIRST);

	((struct npu_buffer *)b)->base = at;
	return npu_check(d, rc, b->on_host ? "aclrtMallocHost" : "aclrtMalloc", e);
}

/* Releases the memory once the work on it has ended; on a lost device it stays. */
static void release(struct device *d, struct device_buffer *b)
{
	struct asc_err e;

	if (!d->lost && npu_wait(d, "a buffer that is released", &e) == ASC_OK)
		(void)(b->on_host ? d->acl->host_free : d->acl->free)(base(b));
}

static enum asc_status set(struct device *d, struct device_buffer *b, size_t at, int byte, size_t n,
			   struct asc_err *e)
{
	if (!b->on_host)
		return npu_set(d, base(b) + at, byte, n, e);
	/* The host writes at once, the device in its turn: kernels before this come first. */
	if (npu_wait(d, "what came before a fill", e))
		return e->status;
	memset(base(b) + at, byte, n);
	return ASC_OK;
}

/* ---- copies: by the runtime, which does not wait for the stream ---- */

static enum asc_status copy_out(struct device *d, const struct device_buffer *b, size_t at,
				void *to, size_t n, struct asc_err *e)
{
	if (n > 0 && b->on_host)
		memcpy(to, base(b) + at, n);
	if (n == 0 || b->on_host)
		return ASC_OK;
	return npu_check(d, d->acl->copy(to, n, base(b) + at, n, NPU_DEVICE_TO_HOST),
			 "aclrtMemcpy from the device", e);
}

static enum asc_status write_data(struct device *d, struct device_buffer *b, const void *from,
				  size_t n, struct asc_err *e)
{
	char *const at = npu_buffer_address(b);

	if (npu_wait(d, "what came before a copy", e))
		return e->status;
	if (n > 0 && b->on_host)
		memcpy(at, from, n);
	if (n == 0 || b->on_host)
		return ASC_OK;
	return npu_check(d, d->acl->copy(at, b->bytes, from, n, NPU_HOST_TO_DEVICE),
			 "aclrtMemcpy to the device", e);
}

static enum asc_status read_data(struct device *d, const struct device_buffer *b, void *to,
				 size_t n, struct asc_err *e)
{
	if (npu_wait(d, "what came before a copy", e))
		return e->status;
	return copy_out(d, b, b->front_bytes, to, n, e);
}

/* Moves data by way of the host, piece by piece from the end that it moves to: what is written has
 * been read. */
static enum asc_status shift(struct device *d, const struct device_buffer *b, size_t from,
			     size_t to, struct asc_err *e)
{
	for (size_t done = 0, n; done < b->bytes; done += n) {
		n = b->bytes - done < NPU_PIECE_BYTES ? b->bytes - done : NPU_PIECE_BYTES;
		const size_t at = to < from ? done : b->bytes - done - n;

		if (copy_out(d, b, from + at, d->piece, n, e) ||
		    npu_check(d,
			      d->acl->copy(base(b) + to + at, n, d->piece, n, NPU_HOST_TO_DEVICE),
			      "aclrtMemcpy to the device", e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status move_data(struct device *d, struct device_buffer *b, size_t at, bool keep,
				 struct asc_err *e)
{
	const size_t from = b->front_bytes, to = from + b->moved - at;

	if (npu_wait(d, "what came before a move", e))
		return e->status;
	if (keep && b->on_host)
		memmove(base(b) + to, base(b) + from, b->bytes);
	else if (keep && shift(d, b, from, to, e))
		return e->status;
	b->tail_bytes = b->tail_bytes + from - to;
	b->front_bytes = to;
	return ASC_OK;
}

/* ---- sums: a runtime without kernels of our own has everything read back ---- */

/* Sums a range up, piece by piece. */
static enum asc_status sum_up(struct device *d, const struct device_range *r, uint64_t *out,
			      struct asc_err *e)
{
	uint64_t sums[2] = {0};

	for (size_t at = 0; at < r->bytes; at += NPU_PIECE_BYTES) {
		const size_t n = r->bytes - at < NPU_PIECE_BYTES ? r->bytes - at : NPU_PIECE_BYTES;

		if (copy_out(d, r->buffer, r->at + at, d->piece, n, e))
			return e->status;
		if (r->zone) {
			/* The pattern, where the first byte is it and all others equal the one
			 * before. */
			sums[0] |= d->piece[0] != DEVICE_PATTERN ||
				   memcmp(d->piece, d->piece + 1, n - 1) != 0;
		} else {
			sums[1] = hash_bytes(d->piece, n);
			sums[0] = hash_bytes(sums, sizeof sums);
		}
	}
	*out = sums[0];
	return ASC_OK;
}

static enum asc_status sum(struct device *d, const struct device_range *ranges, size_t n,
			   const char *what, uint64_t *sums, struct asc_err *e)
{
	enum asc_status s = npu_wait(d, what, e);

	for (size_t i = 0; i < n && !s; i++)
		s = sum_up(d, &ranges[i], &sums[i], e);
	return s;
}

enum asc_status npu_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				 struct asc_err *e)
{
	if (npu_wait(d, "what came before a copy", e))
		return e->status;
	return npu_check(d, d->acl->copy(to, bytes, from, bytes, NPU_DEVICE_TO_HOST),
			 "aclrtMemcpy from the device", e);
}

enum asc_status npu_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e)
{
	if (npu_wait(d, "what came before a copy", e))
		return e->status;
	return npu_check(d, d->acl->copy(to, bytes, from, bytes, NPU_HOST_TO_DEVICE),
			 "aclrtMemcpy to the device", e);
}

static const struct device_memory memory = {
	.buffer_bytes = sizeof(struct npu_buffer),
	.page_bytes = ALIGN,
	.host_page_bytes = ALIGN,
	.name = "device memory",
	.host_name = "pinned memory of the host",
	.reserve = reserve,
	.release = release,
	.set = set,
	.write = write_data,
	.read = read_data,
	.move = move_data,
	.sum = sum,
};

enum asc_status npu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e)
{
	return device_buffer_new(&memory, d, bytes, false, out, e);
}

enum asc_status npu_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				      struct asc_err *e)
{
	return device_buffer_new(&memory, d, bytes, true, out, e);
}
