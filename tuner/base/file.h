/* Files and folders: whole-file reads, writes that are complete or absent, and the place for cached
 * things. */
#ifndef ASCTUNE_BASE_FILE_H
#define ASCTUNE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

/* Appends the file's bytes; refuses everything but a regular file (pipes and devices may never
 * end), files over `max_bytes` (0: no limit) and pointers of Git LFS, which stand for other files.
 * Errors name the path. */
enum asc_status file_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e);

/* Appends the bytes of a file of any kind, "-" is standard input: to wait for what a pipe brings is
 * what the caller wants. Otherwise as file_read(). */
enum asc_status file_read_any(const char *path, size_t max_bytes, struct buf *out,
			      struct asc_err *e);

/* Writes all bytes to an open descriptor, whatever interrupts; false leaves errno as the failure
 * set it. */
/* Opens a regular file for reading; *fd below 0: there is nothing to close. */
enum asc_status file_open(const char *path, int *fd, struct asc_err *e);

bool file_write_all(int fd, const void *data, size_t n);

/* Moves a descriptor out of the reach of kernels, which may close descriptors that they did not
 * open: a high one, closed on exec; the limit on descriptors is raised for it. `fd` itself where
 * that cannot be had. */
int file_raise(int fd);

/* Writes a temporary file beside `path` and renames it: readers see the old or the new content,
 * never a part. */
enum asc_status file_write(const char *path, const void *data, size_t n, struct asc_err *e);

/* Removes the temporary files that processes of this user which were killed in file_write() have
 * left beside `path`: those that nobody has locked. */
void file_remove_left(const char *path);

/* Writes a file of asctune's own as file_write() does, but a link, a pipe or a device of that name
 * is itself replaced: others may have put it there. */
enum asc_status file_replace(const char *path, const void *data, size_t n, struct asc_err *e);

/* Writes a new file NAME into an open folder, to be renamed to `path` later: with the permissions
 * of the file that is there, and failures that name it. */
enum asc_status file_write_staged(int folder, const char *name, const char *path, const void *data,
				  size_t n, struct asc_err *e);

enum asc_status dir_make(const char *path,
			 struct asc_err *e); /* makes the folder with its parents, mode 0700; an
						existing one is fine */
/* Makes the folder with the permissions that the umask leaves, for results. */
enum asc_status dir_make_public(const char *path, struct asc_err *e);
/* Makes a new folder NAME-XXXXXX below $TMPDIR or /tmp; *out is a heap string. */
enum asc_status dir_make_scratch(const char *name, char **out, struct asc_err *e);

/* Removes a folder with its content, as far as possible; does not follow links. NULL: does nothing.
 */
void dir_remove(const char *path);

bool file_exists(const char *path);
bool file_is_same(const char *a, const char *b); /* two paths of one file; false: one is of none */
bool dir_exists(const char *path);               /* a folder, or a link to one */

/* "a folder", "a pipe", "a socket" or "a device"; NULL: a regular file, or nothing that is found.
 */
const char *file_find_special(const char *path);

/* Sets "cannot VERB PATH: reason" from errno; ASC_FULL when that says so, ASC_NOTFOUND, else
 * ASC_IO. */
enum asc_status file_fail(struct asc_err *e, const char *verb, const char *path);

/* Closes all descriptors from `first` on, as closefrom() of newer C libraries does; by system calls
 * alone, so that a child may call it in the memory of its parent. */
void file_close_from(int first);

/* Heap strings, NULL when out of memory. path_join returns `name` alone when it is absolute or
 * `folder` is "" or NULL. */
char *path_join(const char *folder, const char *name);
char *path_folder(const char *path); /* folder part of a path; "." when there is none */
char *path_absolute(const char *path, struct asc_err *e); /* resolves links; the file must exist */

/* Last part of a path, behind its last slash; borrowed from it. */
const char *path_name(const char *path);

/* True when the path leads to a file or folder in `folder`, itself a path without links; false when
 * nothing is there, or with errno ENOMEM. */
bool path_is_within(const char *path, const char *folder);

/* Finds the cache folder, made when needed: $ASCTUNE_CACHE_DIR, else $XDG_CACHE_HOME/asctune, else
 * $HOME/.cache/asctune, else a private folder asctune-UID under $TMPDIR or /tmp (refused unless it
 * belongs to the user and has mode 0700). A folder that base/owner refuses is no place: where the
 * variable asks for it that is the failure, else the last resort is taken. That is noted once. *out
 * is a heap string. */
enum asc_status places_cache(char **out, struct asc_err *e);

/* Path of the secret of a cache folder, CACHE.secret beside it, of which seeds of inputs come: no
 * child of asctune's reads it. A heap string; NULL: out of memory. */
char *places_secret(const char *cache);

/* Finds this program's own path, without links; a heap string. */
enum asc_status places_program(char **out, struct asc_err *e);

/* Finds what came with this program: the first of a few paths (NULL-terminated) that is there, each
 * relative to the program's folder. So a build, an installed tree that has moved and a Python
 * environment find their own. *out is a heap string; NULL where none is there. Only ASC_NOMEM
 * fails. */
enum asc_status places_find_own(const char *const *paths, char **out, struct asc_err *e);

/* Finds the cache folder where places_cache() has made it, for reading: nothing is made and nothing
 * noted. *out is NULL where there is none that may be used. Only ASC_NOMEM fails. */
enum asc_status places_find_cache(char **out, struct asc_err *e);

#endif
