#include "tuner/base/gunzip.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/lfs_pointer.h"
#include "tuner/base/long_text.h"

enum { CHUNK_BYTES = 65536, GZIP_ONLY = 16 };

struct unpacking {
	const char *path;
	size_t max_bytes, total;
	struct buf *buf; /* where it goes; NULL: to `text` */
	struct long_text *text;
	bool begun, packed;
	z_stream z;
	int code;
};

static enum asc_status pass(struct unpacking *u, const unsigned char *data, size_t n,
			    struct asc_err *e)
{
	u->total += n;
	/* A small file may hold any number of zeros, and one may grow while it is read. */
	if (u->total > u->max_bytes)
		return asc_err_set(e, ASC_LIMIT,
				   u->packed ? "%s holds more than %zu bytes"
					     : "%s is larger than %zu bytes",
				   u->path, u->max_bytes);
	if (u->text)
		return long_text_add(u->text, data, n, e);
	buf_add(u->buf, data, n);
	return ASC_OK;
}

/* inflate() and not gzread(), which passes over what follows the last member, and whose messages
 * are others. */
static enum asc_status unpack(struct unpacking *u, unsigned char *data, size_t n, struct asc_err *e)
{
	unsigned char out[CHUNK_BYTES];

	u->z.next_in = data;
	u->z.avail_in = (uInt)n;
	do {
		/* One member after another, as gzip itself reads what was joined. */
		if (u->code == Z_STREAM_END)
			inflateReset(&u->z);
		u->z.next_out = out;
		u->z.avail_out = sizeof out;
		u->code = inflate(&u->z, Z_NO_FLUSH);
		if (u->code == Z_MEM_ERROR)
			return asc_err_nomem(e);
		/* Z_BUF_ERROR: it wants more. */
		if (u->code != Z_OK && u->code != Z_STREAM_END && u->code != Z_BUF_ERROR)
			return asc_err_set(e, ASC_INPUT, "%s: damaged gzip file: %s", u->path,
					   u->z.msg ? u->z.msg : "not in the gzip format");
		if (pass(u, out, sizeof out - u->z.avail_out, e))
			return e->status;
	} while (u->z.avail_in > 0 || (u->code == Z_OK && u->z.avail_out == 0));
	return ASC_OK;
}

static enum asc_status take(struct unpacking *u, unsigned char *data, size_t n, struct asc_err *e)
{
	if (!u->begun) {
		u->begun = true;
		if (lfs_pointer_is((const char *)data, n))
			return lfs_pointer_refuse(u->path, e);
		u->packed = n >= 2 && data[0] == 0x1f && data[1] == 0x8b;
		if (u->packed && inflateInit2(&u->z, GZIP_ONLY + MAX_WBITS) != Z_OK) {
			u->packed = false;
			return asc_err_nomem(e);
		}
	}
	return u->packed ? unpack(u, data, n, e) : pass(u, data, n, e);
}

static enum asc_status unpack_file(struct unpacking *u, struct asc_err *e)
{
	unsigned char chunk[CHUNK_BYTES];
	int fd;
	enum asc_status status = file_open(u->path, &fd, e);

	while (status == ASC_OK) {
		const ssize_t n = read(fd, chunk, sizeof chunk);

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			status = file_fail(e, "read", u->path);
		else if (n > 0)
			status = take(u, chunk, (size_t)n, e);
	}
	if (status == ASC_OK && u->packed && u->code != Z_STREAM_END)
		status = asc_err_set(e, ASC_INPUT, "%s: the gzip file ends too early", u->path);
	if (u->packed)
		inflateEnd(&u->z);
	if (fd >= 0)
		close(fd);
	return status;
}

enum asc_status gunzip_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e)
{
	struct unpacking u = {.path = path, .max_bytes = max_bytes, .buf = out};

	return unpack_file(&u, e) ? e->status : buf_check(out, e);
}

enum asc_status gunzip_map(const char *path, size_t max_bytes, struct long_text *out,
			   struct asc_err *e)
{
	struct unpacking u = {.path = path, .max_bytes = max_bytes, .text = out};

	return unpack_file(&u, e) ? e->status : long_text_map(out, e);
}
