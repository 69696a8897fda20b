/* Content keys. Expected values are those of the Python package xxhash 4.1.0 over the fields as the
 * header describes them: each an 8-byte little-endian length and its bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/hash.h"

/* The hash of up to two strings; NULL ends them. */
static const char *hash_of(const char *a, const char *b, char text[HASH_TEXT_SIZE])
{
	struct hash *h = hash_new();
	if (a)
		hash_add_str(h, a);
	if (b)
		hash_add_str(h, b);
	hash_print(h, text);
	hash_free(h);
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
	struct hash *h = hash_new();
	hash_add_str(h, NULL);
	hash_print(h, other);
	hash_free(h);
	tap_str(other, "dc6b20d207425aa58b3249d34c2ef0b0", "NULL is a field of its own kind");
}

static void test_continued(void)
{
	char text[HASH_TEXT_SIZE];
	struct hash *h = hash_new();
	hash_add(h, "ab", 2);
	hash_print(h, text);
	hash_print(h, text);
	hash_add(h, "c", 1);
	hash_print(h, text);
	tap_str(text, "f2eda2708bcfd51cc05c0ee4c9f60440", "printing does not end the hash");
	hash_free(h);
	hash_free(NULL);
}

static void test_file(const char *folder)
{
	enum { SIZE = 100000 };
	char path[512], text[HASH_TEXT_SIZE];
	unsigned char bytes[SIZE];
	struct asc_err e;
	struct hash *h = hash_new();
	(void)snprintf(path, sizeof path, "%s/content", folder);
	for (int i = 0; i < SIZE; i++)
		bytes[i] = (unsigned char)(i * 7 + 3);
	FILE *f = fopen(path, "wb");
	tap_ok(f && fwrite(bytes, 1, SIZE, f) == SIZE && fclose(f) == 0, "file: made");
	tap_int(hash_add_file(h, path, &e), ASC_OK, "file: read");
	hash_print(h, text);
	tap_str(text, "0dc828fe586d28c7e37eb5b7c1168305", "file: is a field of its content");
	unlink(path);
	tap_int(hash_add_file(h, path, &e), ASC_NOTFOUND, "file: missing");
	tap_has(e.text, path, "file: the message names it");
	tap_int(hash_add_file(h, folder, &e), ASC_IO, "file: a folder is refused");
	tap_has(e.text, "not a regular file", "file: and the message says so");
	hash_free(h);
}

int main(void)
{
	char folder[256];
	const char *parent = getenv("TMPDIR");
	(void)snprintf(folder, sizeof folder, "%s/t-hash-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	test_fields();
	test_continued();
	test_file(folder);
	tap_ok(hash_bytes("abc", 3) == 0x78af5f94892f3950, "hash_bytes of abc");
	tap_ok(hash_bytes("", 0) == 0x2d06800538d394c2, "hash_bytes of nothing");
	rmdir(folder);
	return tap_done();
}
