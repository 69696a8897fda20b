/* Content keys of C sources together with the files that they include. */
#ifndef ASCTUNE_BASE_SOURCES_H
#define ASCTUNE_BASE_SOURCES_H

#include "tuner/base/err.h"

struct hash;

/* Adds the text of the file and of every file named by `#include "..."` in it, and in those: each
 * once, looked for beside the file that names it; what is not there is the compiler's to find, like
 * the files of `#include <...>`. A file is read again only when its time or size has changed.
 * ASC_LIMIT for more than 1000 files. One thread. */
enum asc_status sources_hash(const char *path, struct hash *h, struct asc_err *e);

#endif
