#include "db/sample_blob.h"

#include <stdlib.h>

#include "tuner/base/buf.h"

enum { GROUP_BITS = 7, MORE = 0x80, MAX_GROUPS = 10 };

/* Unsigned arithmetic: a difference of two 64-bit integers wraps, and adding it wraps back. */
static uint64_t zigzag(uint64_t delta)
{
	return delta << 1 ^ (delta >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ (z & 1 ? UINT64_MAX : 0);
}

void sample_blob_write(const int64_t *samples, size_t n, struct buf *out)
{
	uint64_t previous = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t z = zigzag((uint64_t)samples[i] - previous);

		for (; z >= MORE; z >>= GROUP_BITS)
			buf_add_char(out, (char)(unsigned char)(z | MORE));
		buf_add_char(out, (char)(unsigned char)z);
		previous = (uint64_t)samples[i];
	}
}

/* Reads one varint in its only form; 0 when there is none, else its length. */
static size_t read_varint(const unsigned char *p, size_t bytes, uint64_t *out)
{
	uint64_t z = 0;

	for (size_t i = 0; i < bytes && i < MAX_GROUPS; i++) {
		uint64_t group = p[i] & (MORE - 1);

		z |= group << (GROUP_BITS * i);
		if (p[i] & MORE)
			continue;
		if ((i && !group) || (i == MAX_GROUPS - 1 && group > 1))
			return 0;
		*out = z;
		return i + 1;
	}
	return 0;
}

static size_t count_varints(const unsigned char *p, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += !(p[i] & MORE);
	return n;
}

enum asc_status sample_blob_read(const void *data, size_t bytes, int64_t **out, size_t *n,
				 struct asc_err *e)
{
	const unsigned char *p = data;
	size_t count = count_varints(p, bytes), at = 0, taken = 0;
	int64_t *samples = calloc(count ? count : 1, sizeof *samples);
	uint64_t z, previous = 0;

	if (!samples)
		return asc_err_nomem(e);
	for (size_t length; at < bytes; at += length) {
		length = read_varint(p + at, bytes - at, &z);
		if (!length)
			break;
		previous += unzigzag(z);
		samples[taken++] = (int64_t)previous;
	}
	if (at < bytes) {
		free(samples);
		return asc_err_set(e, ASC_INPUT, "the samples are damaged at byte %zu of %zu", at,
				   bytes);
	}
	*out = samples;
	*n = count;
	return ASC_OK;
}
