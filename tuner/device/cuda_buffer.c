#include "tuner/device/cuda_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/device/cuda_checks.h"

enum { PATTERN = 0xA5, ZONE_BYTES = 64 << 10 };

struct device_buffer {
	cuda_address base; /* a zone, the data, what is left of its last ZONE_BYTES, a zone */
	size_t total_bytes;
	size_t bytes;
	bool read_only;
	uint64_t digest; /* of the data, while it is read-only */
};

static cuda_address data_at(const struct device_buffer *b)
{
	return b->base + ZONE_BYTES;
}

/* From the end of the data on. */
static size_t tail_bytes(const struct device_buffer *b)
{
	return b->total_bytes - ZONE_BYTES - b->bytes;
}

static enum asc_status set(struct device *d, cuda_address at, int byte, size_t n, struct asc_err *e)
{
	if (n == 0)
		return ASC_OK;
	return cuda_check(d, d->cu->set(at, (unsigned char)byte, n, d->stream), "cuMemsetD8Async",
			  e);
}

static enum asc_status reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];
	size_t whole = (b->bytes + ZONE_BYTES - 1) / ZONE_BYTES * ZONE_BYTES;

	b->total_bytes = whole + 2 * (size_t)ZONE_BYTES;
	if (b->bytes > PTRDIFF_MAX - 3 * (size_t)ZONE_BYTES)
		(void)asc_err_set(e, ASC_NOMEM, "more than any device has");
	else if (cuda_check(d, d->cu->alloc(&b->base, b->total_bytes), "cuMemAlloc", e) == ASC_OK)
		return ASC_OK;
	return asc_err_wrap(e, "no device memory for a buffer of %s",
			    units_print_bytes((double)b->bytes, text));
}

enum asc_status cuda_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				  struct asc_err *e)
{
	struct device_buffer *b = calloc(1, sizeof *b);

	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	b->bytes = bytes;
	if (reserve(d, b, e)) {
		free(b);
		return e->status;
	}
	if (set(d, b->base, PATTERN, ZONE_BYTES, e) ||
	    set(d, data_at(b) + bytes, PATTERN, tail_bytes(b), e)) {
		cuda_buffer_release(d, b);
		return e->status;
	}
	*out = b;
	return ASC_OK;
}

void cuda_buffer_release(struct device *d, struct device_buffer *b)
{
	if (!b)
		return;
	(void)d->cu->free(b->base);
	free(b);
}

cuda_address cuda_buffer_address(const struct device_buffer *b)
{
	return b ? data_at(b) : 0;
}

/* ---- contents ---- */

static enum asc_status check_size(const struct device_buffer *b, size_t bytes, struct asc_err *e)
{
	if (bytes > b->bytes)
		return asc_err_set(e, ASC_LIMIT, "%zu bytes do not fit a buffer of %zu", bytes,
				   b->bytes);
	return ASC_OK;
}

/* What we write ourselves is no change. */
static enum asc_status note_contents(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	return b->read_only ? cuda_checks_digest(d, data_at(b), b->bytes, &b->digest, e) : ASC_OK;
}

enum asc_status cuda_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				  size_t bytes, struct asc_err *e)
{
	if (check_size(b, bytes, e) || cuda_copy_in(d, data_at(b), data, bytes, e))
		return e->status;
	return note_contents(d, b, e);
}

enum asc_status cuda_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				 size_t bytes, struct asc_err *e)
{
	return check_size(b, bytes, e) ? e->status : cuda_copy_out(d, data_at(b), data, bytes, e);
}

enum asc_status cuda_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				 struct asc_err *e)
{
	return set(d, data_at(b), byte, b->bytes, e) ? e->status : note_contents(d, b, e);
}

enum asc_status cuda_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				    struct asc_err *e)
{
	b->read_only = read_only;
	return note_contents(d, b, e);
}

/* ---- looking at it ---- */

static bool is_pattern(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != PATTERN)
			return false;
	return true;
}

/* Both zones with one wait: this is done after every verified launch. */
bool cuda_buffer_intact(struct device *d, const struct device_buffer *b)
{
	const unsigned char *front = d->stages[0], *tail = front + ZONE_BYTES;
	unsigned char *to = d->stages[0];
	struct asc_err e;

	if (cuda_check(d, d->cu->get(to, b->base, ZONE_BYTES, d->stream), "cuMemcpyDtoHAsync",
		       &e) ||
	    cuda_check(d,
		       d->cu->get(to + ZONE_BYTES, data_at(b) + b->bytes, tail_bytes(b), d->stream),
		       "cuMemcpyDtoHAsync", &e) ||
	    cuda_wait(d, "a copy from the device", &e))
		return false;
	return is_pattern(front, ZONE_BYTES) && is_pattern(tail, tail_bytes(b));
}

bool cuda_buffer_unchanged(struct device *d, const struct device_buffer *b)
{
	uint64_t digest = 0;
	struct asc_err e;

	if (!b->read_only)
		return true;
	return cuda_checks_digest(d, data_at(b), b->bytes, &digest, &e) == ASC_OK &&
	       digest == b->digest;
}
