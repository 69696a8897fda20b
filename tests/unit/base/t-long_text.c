/* Texts in files without a name: read from begin to end, left behind, and read again.
 * covers: long_text.c */
#include "tuner/base/long_text.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/hash.h"

enum { PART = 1 << 16, PARTS = 200 };

static struct asc_err e;

static size_t count_resident(const struct long_text *t)
{
	size_t n = 0;
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512], begins[32];
	bool inside = false;

	/* Memory of the process, whatever the cache of files has. */
	snprintf(begins, sizeof begins, "%lx-", (unsigned long)t->data);
	while (f && fgets(line, sizeof line, f)) {
		inside |= strncmp(line, begins, strlen(begins)) == 0;
		if (inside && sscanf(line, "Rss: %zu kB", &n) == 1)
			break;
	}
	if (f)
		(void)fclose(f);
	return n * 1024;
}

static void test_long(void)
{
	struct long_text t = {0};
	char part[PART];
	char whole[HASH_TEXT_SIZE], long_one[HASH_TEXT_SIZE];
	char *copy = malloc((size_t)PART * PARTS);
	struct hash h;
	size_t sum = 0;
	bool ok = copy;

	for (int i = 0; i < PARTS && ok; i++) {
		memset(part, 'a' + i % 26, sizeof part);
		memcpy(copy + (size_t)i * PART, part, sizeof part);
		ok = long_text_add(&t, part, sizeof part, &e) == ASC_OK;
	}
	if (!ok || long_text_map(&t, &e))
		abort();
	tap_ok(t.len == (size_t)PART * PARTS && t.data[t.len] == '\0', "13 MB, with an end");
	for (size_t at = 0; at < t.len; at += 4096) {
		sum += (unsigned char)t.data[at] == (unsigned char)copy[at];
		long_text_reach(&t, at);
	}
	tap_ok(sum == t.len / 4096, "as it was added");
	tap_ok(count_resident(&t) <= 6 << 20, "at most 6 MB of it are in memory: %zu",
	       count_resident(&t));
	long_text_reach(&t, 0);
	tap_ok(memcmp(t.data, copy, t.len) == 0, "it can be read again");
	hash_init(&h);
	hash_add(&h, copy, t.len);
	(void)hash_end(&h, whole, &e);
	hash_init(&h);
	hash_add_long(&h, &t);
	(void)hash_end(&h, long_one, &e);
	tap_str(long_one, whole, "its key is that of the same text in memory");
	long_text_fini(&t);
	free(copy);
}

static void test_empty(void)
{
	struct long_text t = {0};

	tap_int(long_text_map(&t, &e), ASC_OK, "nothing");
	tap_ok(t.len == 0 && *t.data == '\0', "is an empty text");
	long_text_fini(&t);
}

int main(void)
{
	test_long();
	test_empty();
	return tap_done();
}
