/* The part of file.h that makes and removes folders. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MAX_OPEN = 16 };

static enum asc_status make(const char *path, mode_t mode, struct asc_err *e)
{
	struct stat st;
	int first = 0; /* errno of the first folder that is not there and could not be made */
	char *prefix = str_dup(path);
	if (!prefix)
		return asc_err_nomem(e);
	for (char *slash = prefix; *slash && (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		if (mkdir(prefix, mode) != 0 && errno != EEXIST && !first)
			first = errno; /* only the last folder decides */
		*slash = '/';
	}
	free(prefix);
	if (mkdir(path, mode) == 0)
		return ASC_OK;
	if (errno == ENOENT && first)
		errno = first;
	if (errno != EEXIST)
		return file_fail(e, "make folder", path);
	if (stat(path, &st) != 0)
		return file_fail(e, "find", path);
	if (S_ISDIR(st.st_mode))
		return ASC_OK;
	return asc_err_set(e, ASC_IO, "cannot make folder %s: a file of this name is there", path);
}

enum asc_status dir_make(const char *path, struct asc_err *e)
{
	return make(path, 0700, e);
}

enum asc_status dir_make_public(const char *path, struct asc_err *e)
{
	return make(path, 0777, e);
}

enum asc_status dir_make_scratch(const char *name, char **out, struct asc_err *e)
{
	const char *parent = getenv("TMPDIR");

	*out = str_print("%s/%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
	if (!*out)
		return asc_err_nomem(e);
	if (mkdtemp(*out))
		return ASC_OK;
	file_fail(e, "make folder", *out);
	free(*out);
	*out = NULL;
	return e->status;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	(void)remove(path);
	return 0;
}

void dir_remove(const char *path)
{
	if (path)
		(void)nftw(path, remove_one, MAX_OPEN, FTW_DEPTH | FTW_PHYS);
}
