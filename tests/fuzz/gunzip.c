/* Any bytes as a file that may be compressed: what is given is what zlib's own reader of files
 * gives, and never more than was asked for. The file is in memory and has no name of its own.
 * covers: gunzip.c */
#include "tuner/base/gunzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"

enum { MOST_BYTES = 1 << 20 };

static void check_content(const char *path, const struct buf *have)
{
	char *want = malloc(MOST_BYTES + 1);
	gzFile f = gzopen(path, "rb");

	if (!want || !f)
		abort();
	const int n = gzread(f, want, MOST_BYTES + 1);

	if (n < 0 || (size_t)n != have->len || memcmp(want, buf_str(have), have->len) != 0)
		abort();
	(void)gzclose_r(f);
	free(want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf out = {0};
	struct asc_err e;
	char path[64];
	int fd = memfd_create("gunzip", MFD_CLOEXEC);

	if (fd < 0 || write(fd, size > 0 ? data : (const uint8_t *)"", size) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (gunzip_read(path, MOST_BYTES, &out, &e) == ASC_OK) {
		if (out.len > MOST_BYTES)
			abort();
		check_content(path, &out);
	}
	buf_fini(&out);
	close(fd);
	return 0;
}
