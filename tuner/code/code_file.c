#include "tuner/code/code_file.h"

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/cubin_code.h"

enum asc_status code_file_count(const char *path, const char *kernel, struct code_counts *out,
				struct asc_err *e)
{
	struct buf bytes = {0};
	struct cubin cubin;
	enum asc_status s = file_read(path, 0, &bytes, e);

	if (s == ASC_OK && !cubin_is_one(bytes.data, bytes.len))
		s = asc_err_set(e, ASC_ABSENT, "is no code whose instructions are known");
	if (s == ASC_OK)
		s = cubin_open(bytes.data, bytes.len, &cubin, e);
	if (s == ASC_OK)
		s = cubin_count(&cubin, kernel, out, e);
	buf_fini(&bytes);
	return s == ASC_OK ? s : asc_err_wrap(e, "%s", path);
}
