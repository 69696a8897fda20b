#include "tuner/cmd/terminal/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/file.h"

enum { BEGIN_BYTES = 1024 };

/* True for a file that is missing, cannot be read or is none: writing it says why. */
static bool may_replace(const char *path, const char *mark)
{
	char begin[BEGIN_BYTES];
	FILE *f = file_find_special(path) ? NULL : fopen(path, "rbe");

	if (!f)
		return true;
	const size_t n = fread(begin, 1, sizeof begin, f);

	(void)fclose(f);
	/* An empty file is one that was made for this, by mktemp or a redirection. */
	return n == 0 || memmem(begin, n, mark, strlen(mark));
}

enum asc_status output_write(const char *path, const char *mark, const void *data, size_t n,
			     struct asc_err *e)
{
	if (!may_replace(path, mark))
		return asc_err_set(
			e, ASC_USAGE,
			"%s exists and was not written by asctune: name another file, or remove it",
			path);
	file_remove_left(path);
	return file_write(path, data, n, e);
}
