#include "tuner/device/cuda/cuda_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/device/cuda/cuda_checks.h"

enum { ZONE_BYTES = 64 << 10 };

struct device_buffer {
	cuda_address base; /* of a zone, the data, the rest of its last ZONE_BYTES, a zone */
	char *host;        /* base, where it is memory of the host; else NULL */
	size_t total_bytes;
	size_t bytes;
	bool read_only;
	uint64_t digest; /* of the data, while it is read-only */
};

static cuda_address data_at(const struct device_buffer *b)
{
	return b->base + ZONE_BYTES;
}

/* Number of bytes from the end of the data on. */
static size_t tail_bytes(const struct device_buffer *b)
{
	return b->total_bytes - ZONE_BYTES - b->bytes;
}

/* Sets `n` bytes of all that was allocated, from byte `at` on. */
static enum asc_status set(struct device *d, const struct device_buffer *b, size_t at, int byte,
			   size_t n, struct asc_err *e)
{
	if (n == 0)
		return ASC_OK;
	if (b->host && cuda_wait(d, "memory of the host", e))
		return e->status;
	if (!b->host)
		return cuda_check(d, d->cu->set(b->base + at, (unsigned char)byte, n, d->stream),
				  "cuMemsetD8Async", e);
	memset(b->host + at, byte, n);
	return ASC_OK;
}

/* Allocates pinned memory, whose address is the same on the device. */
static enum asc_status reserve_host(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	void *host;

	if (cuda_check(d, d->cu->host_alloc(&host, b->total_bytes, CUDA_HOST_MAPPED),
		       "cuMemHostAlloc", e))
		return e->status;
	b->host = host;
	b->base = (cuda_address)(uintptr_t)host;
	return ASC_OK;
}

static enum asc_status reserve(struct device *d, struct device_buffer *b, bool on_host,
			       struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];
	size_t whole = (b->bytes + ZONE_BYTES - 1) / ZONE_BYTES * ZONE_BYTES;

	b->total_bytes = whole + 2 * (size_t)ZONE_BYTES;
	if (b->bytes > PTRDIFF_MAX - 3 * (size_t)ZONE_BYTES)
		(void)asc_err_set(e, ASC_NOMEM, "more than any device has");
	else if (on_host ? reserve_host(d, b, e) == ASC_OK
			 : cuda_check(d, d->cu->alloc(&b->base, b->total_bytes), "cuMemAlloc", e) ==
				   ASC_OK)
		return ASC_OK;
	return asc_err_wrap(e, "no %s memory for a buffer of %s", on_host ? "pinned" : "device",
			    units_print_bytes((double)b->bytes, text));
}

static enum asc_status alloc(struct device *d, size_t bytes, bool on_host,
			     struct device_buffer **out, struct asc_err *e)
{
	struct device_buffer *b = calloc(1, sizeof *b);

	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	b->bytes = bytes;
	if (reserve(d, b, on_host, e)) {
		free(b);
		return e->status;
	}
	if (set(d, b, 0, DEVICE_PATTERN, ZONE_BYTES, e) ||
	    set(d, b, ZONE_BYTES + bytes, DEVICE_PATTERN, tail_bytes(b), e)) {
		cuda_buffer_release(d, b);
		return e->status;
	}
	*out = b;
	return ASC_OK;
}

enum asc_status cuda_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				  struct asc_err *e)
{
	return alloc(d, bytes, false, out, e);
}

enum asc_status cuda_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				       struct asc_err *e)
{
	return alloc(d, bytes, true, out, e);
}

void cuda_buffer_release(struct device *d, struct device_buffer *b)
{
	if (!b)
		return;
	if (b->host)
		(void)d->cu->host_free(b->host);
	else
		(void)d->cu->free(b->base);
	free(b);
}

cuda_address cuda_buffer_address(const struct device_buffer *b)
{
	return b ? data_at(b) : 0;
}

void *cuda_buffer_pointer(const struct device_buffer *b)
{
	const cuda_address at = cuda_buffer_address(b);
	void *pointer;

	memcpy(&pointer, &at, sizeof pointer); /* an integer is no pointer to an optimiser */
	return pointer;
}

/* ---- copies ---- */

/* Stages take turns: the host fills one while the device copies the other. */

static size_t piece(size_t bytes, size_t at)
{
	return bytes - at < CUDA_STAGE_BYTES ? bytes - at : CUDA_STAGE_BYTES;
}

static enum asc_status copy_in(struct device *d, cuda_address to, const void *from, size_t bytes,
			       struct asc_err *e)
{
	size_t turn = 0;

	for (size_t at = 0; at < bytes; at += CUDA_STAGE_BYTES, turn++) {
		void *stage = d->stages[turn % CUDA_STAGES];
		size_t n = piece(bytes, at);

		if (turn > 0 && turn % CUDA_STAGES == 0 && cuda_wait(d, "a copy to the device", e))
			return e->status;
		memcpy(stage, (const char *)from + at, n);
		if (cuda_check(d, d->cu->put(to + at, stage, n, d->stream), "cuMemcpyHtoDAsync", e))
			return e->status;
	}
	return cuda_wait(d, "a copy to the device", e);
}

enum asc_status cuda_copy_out(struct device *d, cuda_address from, void *to, size_t bytes,
			      struct asc_err *e)
{
	for (size_t at = 0; at < bytes; at += CUDA_STAGES * (size_t)CUDA_STAGE_BYTES) {
		size_t end = at + CUDA_STAGES * (size_t)CUDA_STAGE_BYTES;

		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++)
			if (cuda_check(
				    d,
				    d->cu->get(d->stages[i], from + k, piece(bytes, k), d->stream),
				    "cuMemcpyDtoHAsync", e))
				return e->status;
		if (cuda_wait(d, "a copy from the device", e))
			return e->status;
		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++)
			memcpy((char *)to + k, d->stages[i], piece(bytes, k));
	}
	return ASC_OK;
}

/* ---- contents ---- */

static struct cuda_range contents_of(const struct device_buffer *b)
{
	return (struct cuda_range){data_at(b), b->bytes, false};
}

/* Renews the digest: a write by the device itself is no change. */
static enum asc_status note_contents(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const struct cuda_range contents = contents_of(b);

	return b->read_only ? cuda_checks_sum(d, &contents, 1, &b->digest, e) : ASC_OK;
}

/* Copies between the buffer and `data`, one of which is `to` and the other `from`. */
static enum asc_status copy_here(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e)
{
	if (cuda_wait(d, "memory of the host", e))
		return e->status;
	if (bytes)
		memcpy(to, from, bytes);
	return ASC_OK;
}

enum asc_status cuda_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				  size_t bytes, struct asc_err *e)
{
	if (device_check_room(b->bytes, bytes, e) ||
	    (b->host ? copy_here(d, b->host + ZONE_BYTES, data, bytes, e)
		     : copy_in(d, data_at(b), data, bytes, e)))
		return e->status;
	return note_contents(d, b, e);
}

enum asc_status cuda_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				 size_t bytes, struct asc_err *e)
{
	if (device_check_room(b->bytes, bytes, e))
		return e->status;
	return b->host ? copy_here(d, data, b->host + ZONE_BYTES, bytes, e)
		       : cuda_copy_out(d, data_at(b), data, bytes, e);
}

enum asc_status cuda_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				 struct asc_err *e)
{
	return set(d, b, ZONE_BYTES, byte, b->bytes, e) ? e->status : note_contents(d, b, e);
}

enum asc_status cuda_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				    struct asc_err *e)
{
	b->read_only = read_only;
	return note_contents(d, b, e);
}

/* ---- looking at it ---- */

enum { PARTS = 3 }; /* ranges of a buffer: the zones, and what is read-only */

static size_t add_ranges(const struct device_buffer *b, struct cuda_range *to)
{
	to[0] = (struct cuda_range){b->base, ZONE_BYTES, true};
	to[1] = (struct cuda_range){data_at(b) + b->bytes, tail_bytes(b), true};
	to[2] = contents_of(b);
	return b->read_only ? PARTS : PARTS - 1;
}

static enum device_harm find_harm(const struct device_buffer *b, const uint64_t *sums)
{
	if (sums[0] != 0 || sums[1] != 0)
		return DEVICE_STRAY;
	return b->read_only && sums[2] != b->digest ? DEVICE_CHANGED : DEVICE_UNHARMED;
}

enum asc_status cuda_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				 enum device_harm *harms, struct asc_err *e)
{
	struct cuda_range *ranges = calloc(PARTS * n + 1, sizeof *ranges);
	uint64_t *sums = calloc(PARTS * n + 1, sizeof *sums);
	size_t all = 0, at = 0;

	for (size_t i = 0; ranges && i < n; i++)
		all += add_ranges(buffers[i], ranges + all);
	enum asc_status s =
		ranges && sums ? cuda_checks_sum(d, ranges, all, sums, e) : asc_err_nomem(e);
	for (size_t i = 0; i < n && !s; i++) {
		harms[i] = find_harm(buffers[i], sums + at);
		at += buffers[i]->read_only ? PARTS : PARTS - 1;
	}
	free(sums);
	free(ranges);
	return s;
}
