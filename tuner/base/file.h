/* Files and folders: whole-file reads, writes that are complete or absent, and the place for cached
 * things. */
#ifndef ASCTUNE_BASE_FILE_H
#define ASCTUNE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

/* Appends the file's bytes; refuses what is not a regular file (pipes and devices may never end)
 * and files over `max_bytes` (0: no limit). Errors name the path. */
enum asc_status file_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e);

/* All of it to an open descriptor, whatever interrupts; false leaves errno as the failure set it.
 */
bool file_write_all(int fd, const void *data, size_t n);

/* Writes a temporary file beside `path` and renames it: readers see the old or the new content,
 * never a part. */
enum asc_status file_write(const char *path, const void *data, size_t n, struct asc_err *e);

enum asc_status dir_make(const char *path,
			 struct asc_err *e); /* with parents, mode 0700; exists already: ok */
/* A new folder of our own, NAME-XXXXXX below $TMPDIR or /tmp; *out is a heap string. */
enum asc_status dir_make_scratch(const char *name, char **out, struct asc_err *e);

/* With all that is in it, as far as that can be removed; links are not followed. NULL: nothing. */
void dir_remove(const char *path);

bool file_exists(const char *path);

/* "cannot VERB PATH: reason" from errno; ASC_FULL when that says so, ASC_NOTFOUND, else ASC_IO. */
enum asc_status file_fail(struct asc_err *e, const char *verb, const char *path);

/* Heap strings, NULL when out of memory. path_join returns `name` alone when it is absolute or
 * `folder` is "" or NULL. */
char *path_join(const char *folder, const char *name);
char *path_folder(const char *path);                      /* "." when there is none */
char *path_absolute(const char *path, struct asc_err *e); /* resolves links; the file must exist */

/* The cache folder, made when needed: $ASCTUNE_CACHE_DIR, else $XDG_CACHE_HOME/asctune, else
 * $HOME/.cache/asctune, else a private folder asctune-UID under $TMPDIR or /tmp (refused unless it
 * is ours and mode 0700). The fall-back is said once by a note. *out is a heap string. */
enum asc_status places_cache(char **out, struct asc_err *e);

#endif
