/* Compressed files: what they hold, damaged ones, and those that would be too large.
 * covers: gunzip.c */
#include "tuner/base/gunzip.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST /* what is read stays as it is */
#include <zlib.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { LIMIT = 1 << 20 };

static char path[64] = "/tmp/t-gunzip.XXXXXX";
static struct asc_err e;

static void put(const void *data, size_t n)
{
	if (file_write(path, data, n, &e))
		abort();
}

/* As gzip does it, so that the test does not depend on what it tests. */
static size_t pack(const char *text, size_t n, unsigned char *out, size_t room)
{
	z_stream z = {.next_in = (const Bytef *)text, .avail_in = (uInt)n};

	if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_out = out;
	z.avail_out = (uInt)room;
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void check(enum asc_status want, const char *text, const char *name)
{
	struct buf b = {0};

	tap_int(gunzip_read(path, LIMIT, &b, &e), want, "%s", name);
	if (want == ASC_OK)
		tap_str(buf_str(&b), text, "%s: what was packed", name);
	else
		tap_has(e.text, text, "%s: said", name);
	buf_fini(&b);
}

static void test_whole(void)
{
	unsigned char packed[256];
	size_t n = pack("one two", 7, packed, sizeof packed);

	put(packed, n);
	check(ASC_OK, "one two", "a gzip file");
	n += pack(" three", 6, packed + n, sizeof packed - n);
	put(packed, n);
	check(ASC_OK, "one two three", "two joined");
	put("plain", 5);
	check(ASC_OK, "plain", "a plain file");
	put("", 0);
	check(ASC_OK, "", "an empty one");
}

static void test_damaged(void)
{
	unsigned char packed[256];
	size_t n = pack("one two", 7, packed, sizeof packed);

	for (size_t cut = 2; cut < n; cut++) {
		struct buf b = {0};

		put(packed, cut);
		if (gunzip_read(path, LIMIT, &b, &e) != ASC_INPUT || !strstr(e.text, "too early"))
			tap_ok(false, "cut after %zu bytes: %s", cut, e.text);
		buf_fini(&b);
	}
	packed[n - 8] ^= 1; /* of the check sum */
	put(packed, n);
	check(ASC_INPUT, "damaged gzip file: incorrect data check", "a wrong sum");
	tap_has(e.text, path, "with the path");
	packed[n - 8] ^= 1;
	packed[n] = 'x';
	put(packed, n + 1);
	check(ASC_INPUT, "gzip", "bytes behind the end");
}

/* 2 MiB of zeros are 2 KiB of gzip. */
static void test_bomb(void)
{
	static char zeros[2 << 20];
	static unsigned char packed[1 << 16];

	put(packed, pack(zeros, sizeof zeros, packed, sizeof packed));
	check(ASC_LIMIT, "holds more than 1048576 bytes", "more than is allowed");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	test_whole();
	test_damaged();
	test_bomb();
	unlink(path);
	return tap_done();
}
