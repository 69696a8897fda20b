#include "tuner/base/gunzip.h"

#include <zlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { CHUNK_BYTES = 65536, GZIP_ONLY = 16 };

/* inflate() and not gzread(), which passes over what follows the last member, and whose messages
 * are others. */
enum asc_status gunzip_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e)
{
	unsigned char chunk[CHUNK_BYTES];
	struct buf bytes = {0};
	size_t total = 0;
	int code = Z_OK;
	enum asc_status status = file_read(path, max_bytes, &bytes, e);
	z_stream z = {.next_in = (Bytef *)bytes.data, .avail_in = (uInt)bytes.len};

	if (status == ASC_OK && (bytes.len < 2 || (unsigned char)bytes.data[0] != 0x1f ||
				 (unsigned char)bytes.data[1] != 0x8b)) { /* not packed */
		if (out->len == 0) { /* a long text is not there twice */
			const struct buf empty = *out;

			*out = bytes;
			bytes = empty;
		} else {
			buf_add(out, bytes.data, bytes.len);
		}
		status = buf_check(out, e);
		buf_fini(&bytes);
		return status;
	}
	if (status == ASC_OK && inflateInit2(&z, GZIP_ONLY + MAX_WBITS) != Z_OK)
		status = asc_err_nomem(e);
	if (status) {
		buf_fini(&bytes);
		return status;
	}
	/* One member after another, as gzip itself reads what was joined. */
	while (!status && (code != Z_STREAM_END || z.avail_in > 0)) {
		if (code == Z_STREAM_END)
			inflateReset(&z);
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		code = inflate(&z, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			status = asc_err_nomem(e);
		else if (code == Z_BUF_ERROR)
			status =
				asc_err_set(e, ASC_INPUT, "%s: the gzip file ends too early", path);
		else if (code != Z_OK && code != Z_STREAM_END)
			status = asc_err_set(e, ASC_INPUT, "%s: damaged gzip file: %s", path,
					     z.msg ? z.msg : "not in the gzip format");
		total += sizeof chunk - z.avail_out;
		/* A small file may hold any number of zeros. */
		if (!status && total > max_bytes)
			status = asc_err_set(e, ASC_LIMIT, "%s holds more than %zu bytes", path,
					     max_bytes);
		if (!status)
			buf_add(out, chunk, sizeof chunk - z.avail_out);
	}
	if (!status)
		status = buf_check(out, e);
	inflateEnd(&z);
	buf_fini(&bytes);
	return status;
}
