/* Content keys. Expected values are those of the Python package xxhash 4.1.0 over the fields as the
 * header describes them: each an 8-byte little-endian length and its bytes.
 * covers: hash.c hash_wide.c */
#include <string.h>

#include <xxhash.h>

#include "tests/tap.h"
#include "tuner/base/hash.h"

/* The hash of up to two strings; NULL ends them. */
static const char *hash_of(const char *a, const char *b, char text[HASH_TEXT_SIZE])
{
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	if (a)
		hash_add_str(&h, a);
	if (b)
		hash_add_str(&h, b);
	tap_int(hash_end(&h, text, &e), ASC_OK, "a hash ends");
	return text;
}

static void test_fields(void)
{
	char one[HASH_TEXT_SIZE], other[HASH_TEXT_SIZE];
	tap_str(hash_of(NULL, NULL, one), "99aa06d3014798d86001c324468d497f", "no field");
	tap_str(hash_of("abc", NULL, one), "45bcdc88efffd44520b986a5e7fe1438", "abc");
	tap_str(hash_of("ab", "c", one), "f2eda2708bcfd51cc05c0ee4c9f60440", "ab, c");
	tap_str(hash_of("a", "bc", one), "f310f4d71be93bc46456c91685adede6", "a, bc");
	tap_ok(strcmp(hash_of("", NULL, one), hash_of(NULL, NULL, other)) != 0,
	       "an empty field is not none");
	tap_str(one, "2c0a8a99dc147d5445c3b49d035665b2", "an empty field");
	struct hash h;
	struct asc_err e;
	hash_init(&h);
	hash_add_str(&h, NULL);
	tap_int(hash_end(&h, other, &e), ASC_OK, "a hash of NULL ends");
	tap_str(other, "dc6b20d207425aa58b3249d34c2ef0b0", "NULL is a field of its own kind");
}

static void test_failure(void)
{
	char text[HASH_TEXT_SIZE] = "untouched";
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	hash_add_str(&h, "a");
	asc_err_set(&h.failure, ASC_NOTFOUND, "no file");
	hash_add_str(&h, "b");
	tap_int(hash_end(&h, text, &e), ASC_NOTFOUND, "a failure on the way is the hash's");
	tap_str(e.text, "no file", "the failure keeps its words");
	tap_str(text, "untouched", "a failed hash has no key");
}

/* Whatever vectors a processor has, the numbers are the library's. */
static void test_bytes(void)
{
	enum { MOST = 5000 };
	unsigned char data[MOST];
	size_t same = 0;

	for (size_t i = 0; i < MOST; i++)
		data[i] = (unsigned char)(i * 7 >> 3);
	for (size_t n = 0; n < MOST; n++)
		same += hash_bytes(data, n) == XXH3_64bits(data, n);
	tap_int(same, MOST, "hash_bytes of 0 to 4,999 bytes is the library's XXH3");
}

int main(void)
{
	test_bytes();
	test_fields();
	test_failure();
	tap_ok(hash_bytes("abc", 3) == 0x78af5f94892f3950, "hash_bytes of abc");
	tap_ok(hash_bytes("", 0) == 0x2d06800538d394c2, "hash_bytes of nothing");
	return tap_done();
}
