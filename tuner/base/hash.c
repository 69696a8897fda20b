#include "tuner/base/hash.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tuner/base/long_text.h"

void hash_init(struct hash *h)
{
	*h = (struct hash){.state = XXH3_createState()};
	if (!h->state || XXH3_128bits_reset(h->state) != XXH_OK)
		asc_err_nomem(&h->failure);
}

static void add_field(struct hash *h, const void *data, size_t n, uint64_t length)
{
	uint64_t stored = htole64(length);

	if (h->failure.status)
		return;
	XXH3_128bits_update(h->state, &stored, sizeof stored);
	if (n)
		XXH3_128bits_update(h->state, data, n);
}

void hash_add(struct hash *h, const void *data, size_t n)
{
	add_field(h, data, n, n);
}

void hash_add_long(struct hash *h, struct long_text *t)
{
	enum { PART_BYTES = 1 << 20 };

	add_field(h, NULL, 0, t->len);
	for (size_t at = 0, n; at < t->len && !h->failure.status; at += n) {
		n = t->len - at < PART_BYTES ? t->len - at : PART_BYTES;
		XXH3_128bits_update(h->state, t->data + at, n);
		long_text_reach(t, at + n);
	}
}

void hash_add_str(struct hash *h, const char *s)
{
	/* Length that stands for NULL: no field is so long. */
	add_field(h, s, s ? strlen(s) : 0, s ? strlen(s) : UINT64_MAX);
}

static void print(const struct hash *h, char text[HASH_TEXT_SIZE])
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

enum asc_status hash_end(struct hash *h, char text[HASH_TEXT_SIZE], struct asc_err *e)
{
	enum asc_status s = h->failure.status;

	if (s)
		*e = h->failure;
	else
		print(h, text);
	XXH3_freeState(h->state);
	h->state = NULL;
	return s;
}

/* Digests of all outputs are taken behind each launch that is compared. */
uint64_t hash_bytes(const void *data, size_t n)
{
#if defined __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return hash_wide(data, n);
#endif
	return XXH3_64bits(data, n);
}
