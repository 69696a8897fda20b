#include "tuner/base/lfs_pointer.h"

#include <stdlib.h>
#include <string.h>

bool lfs_pointer_is(const char *data, size_t n)
{
	static const char begin[] = "version https://git-lfs.github.com/spec/";

	return n >= sizeof begin && n < LFS_POINTER_BYTES &&
	       memcmp(data, begin, sizeof begin - 1) == 0;
}

/* Copies the value of a line "KEY VALUE"; false where there is none, or it is longer. */
static bool find_value(const char *text, const char *key, char *out, size_t size)
{
	const char *line = strstr(text, key);
	const size_t n = line ? strcspn(line + strlen(key), "\n") : 0;

	if (!line || n >= size)
		return false;
	memcpy(out, line + strlen(key), n);
	out[n] = '\0';
	return true;
}

bool lfs_pointer_parse(const char *data, size_t n, char id[LFS_ID_SIZE], int64_t *bytes)
{
	char text[LFS_POINTER_BYTES], number[20];

	if (!lfs_pointer_is(data, n))
		return false;
	memcpy(text, data, n);
	text[n] = '\0';
	if (!find_value(text, "\noid sha256:", id, LFS_ID_SIZE) || strlen(id) != LFS_ID_SIZE - 1 ||
	    id[strspn(id, "0123456789abcdef")] ||
	    !find_value(text, "\nsize ", number, sizeof number) || !*number ||
	    number[strspn(number, "0123456789")])
		return false;
	*bytes = strtoll(number, NULL, 10);
	return true;
}

enum asc_status lfs_pointer_refuse(const char *path, struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT,
			   "%s is a pointer of Git LFS: `git lfs pull` brings the file", path);
}
