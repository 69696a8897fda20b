/* Pointers of Git LFS: short texts in the place of files that it keeps elsewhere
 * (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
#ifndef ASCTUNE_BASE_LFS_POINTER_H
#define ASCTUNE_BASE_LFS_POINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

enum {
	LFS_POINTER_BYTES = 1024, /* a pointer has fewer: the specification */
	LFS_ID_SIZE = 65          /* text of SHA-256, with its end */
};

bool lfs_pointer_is(const char *data, size_t n);

/* Reads which file a pointer stands for, and its size; false where it does not say both. */
bool lfs_pointer_parse(const char *data, size_t n, char id[LFS_ID_SIZE], int64_t *bytes);

/* ASC_INPUT, with what brings the file itself. */
enum asc_status lfs_pointer_refuse(const char *path, struct asc_err *e);

#endif
