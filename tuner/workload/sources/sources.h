/* Content keys of sources together with the files that they include, or import where they are
 * Python's. One thread. */
#ifndef ASCTUNE_WORKLOAD_SOURCES_SOURCES_H
#define ASCTUNE_WORKLOAD_SOURCES_SOURCES_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct buf;
struct json_writer;

/* Adds the text of the file and of every file that it may include, directly or through another one.
 * Conditions are ignored: any branch counts, and any directive (workload/sources/include_scan). A
 * file is looked for beside the file that names it, beside `path`, and in the folders of `flags`
 * (NULL-terminated, or NULL) and of the environment. Where a macro names the file, each of its
 * definitions counts; where no text defines it, every source below these folders. Of a Python file
 * what it imports from its own folder or by relative imports counts. Files that flags name count,
 * too. A file in none of these places, like the compiler's own headers, belongs to the key of the
 * toolchain. A file is read again only when its time or size has changed. The hash fails when
 * `path` cannot be read, and with ASC_LIMIT for more than 20000 files. */
void sources_hash(const char *path, const char *const *flags, struct hash *h);

/* Writes the files that sources_hash() adds, {"PATH": "KEY", ...}, in the order of the walk, `path`
 * first; paths below `folder` are relative to it. */
enum asc_status sources_write(const char *path, const char *const *flags, const char *folder,
			      struct json_writer *out, struct asc_err *e);

/* Appends the paths of the files that sources_hash() adds, each ended by NUL. */
enum asc_status sources_list(const char *path, const char *const *flags, struct buf *out,
			     struct asc_err *e);

/* Fails (ASC_INPUT) when the file or one that it may include, in the sense of sources_hash() but
 * without the places of the environment, lies outside of `folder` (a path without links), is named
 * by an absolute path that leads there, has a precompiled form beside it, or is named by no text.
 */
enum asc_status sources_check_within(const char *path, const char *const *flags, const char *folder,
				     struct asc_err *e);

/* Fails where a file that sources_hash() would add belongs to another user (base/owner). */
enum asc_status sources_check_owners(const char *path, const char *const *flags, struct asc_err *e);

/* Makes the content key of one file's bytes. */
enum asc_status sources_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e);

/* Makes the content key of a file and those that it includes or imports: that of sources_key()
 * where there are none. */
enum asc_status sources_key_all(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e);

/* Begins to note the files that sources_hash() adds; forgets earlier notes of the watch that goes
 * on. */
void sources_watch(void);

/* Goes on with another watch, by the number that sources_watches() gave of it; 0: none, so that the
 * next sources_watch() forgets nothing. */
void sources_watch_again(unsigned number);

/* Sets whether files are noted: not those of a problem that is not measured yet. */
void sources_note(bool on);

/* Number of the watch that goes on, which no earlier one has had. */
unsigned sources_watches(void);

/* Finds the path of a file noted in this watch whose content has changed since, or that is gone;
 * NULL: none. Borrowed until the next sources_watch(). */
const char *sources_find_changed(void);

#endif
