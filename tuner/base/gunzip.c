#include "tuner/base/gunzip.h"

#include <stdbool.h>
#include <zlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { CHUNK_BYTES = 65536, GZIP_ONLY = 16 };

static bool is_gzip(const struct buf *b)
{
	return b->len >= 2 && (unsigned char)b->data[0] == 0x1f &&
	       (unsigned char)b->data[1] == 0x8b;
}

static enum asc_status fail(const char *path, const z_stream *z, int code, struct asc_err *e)
{
	if (code == Z_MEM_ERROR)
		return asc_err_nomem(e);
	if (code == Z_BUF_ERROR)
		return asc_err_set(e, ASC_INPUT, "%s: the gzip file ends too early", path);
	return asc_err_set(e, ASC_INPUT, "%s: damaged gzip file: %s", path,
			   z->msg ? z->msg : "not in the gzip format");
}

/* One member after another, as gzip itself reads what was joined. */
static enum asc_status inflate_all(const char *path, z_stream *z, size_t max_bytes, struct buf *out,
				   struct asc_err *e)
{
	unsigned char chunk[CHUNK_BYTES];
	size_t total = 0;
	int code = Z_OK;

	while (code != Z_STREAM_END || z->avail_in > 0) {
		if (code == Z_STREAM_END)
			inflateReset(z);
		z->next_out = chunk;
		z->avail_out = sizeof chunk;
		code = inflate(z, Z_NO_FLUSH);
		if (code != Z_OK && code != Z_STREAM_END)
			return fail(path, z, code, e);
		total += sizeof chunk - z->avail_out;
		if (total > max_bytes)
			return asc_err_set(e, ASC_LIMIT, "%s holds more than %zu bytes", path,
					   max_bytes);
		buf_add(out, chunk, sizeof chunk - z->avail_out);
	}
	return buf_check(out, e);
}

static enum asc_status unpack(const char *path, struct buf *packed, size_t max_bytes,
			      struct buf *out, struct asc_err *e)
{
	z_stream z = {.next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->len};

	if (inflateInit2(&z, GZIP_ONLY + MAX_WBITS) != Z_OK)
		return asc_err_nomem(e);
	enum asc_status status = inflate_all(path, &z, max_bytes, out, e);

	inflateEnd(&z);
	return status;
}

enum asc_status gunzip_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e)
{
	struct buf bytes = {0};
	enum asc_status status = file_read(path, max_bytes, &bytes, e);

	if (status == ASC_OK && is_gzip(&bytes))
		status = unpack(path, &bytes, max_bytes, out, e);
	else if (status == ASC_OK) {
		buf_add(out, bytes.data, bytes.len);
		status = buf_check(out, e);
	}
	buf_fini(&bytes);
	return status;
}
