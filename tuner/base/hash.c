#include "tuner/base/hash.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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
