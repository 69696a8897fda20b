/* Content keys of C sources together with the files that they include. One thread. */
#ifndef ASCTUNE_BASE_SOURCES_H
#define ASCTUNE_BASE_SOURCES_H

#include "tuner/base/err.h"
#include "tuner/base/hash.h"

/* Adds the text of the file, of every file that it may include, and that those may: whatever
 * conditions say, by any directive (base/include_scan), looked for beside the file that names it,
 * beside `path`, in the folders of `flags` (NULL-terminated, or NULL) and of the environment, under
 * each name that a macro may stand for; where no text says what a macro stands for, every source
 * below these folders. Files that flags name count too. What is in none of these places, like the
 * compiler's own headers, is left to the key of the tool chain. A file is read again only when its
 * time or size has changed. ASC_LIMIT for more than 20000 files. */
enum asc_status sources_hash(const char *path, const char *const *flags, struct hash *h,
			     struct asc_err *e);

/* The key of one file's bytes. */
enum asc_status sources_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e);

/* From now on sources_hash() notes what it adds, and what it noted before is forgotten. */
void sources_watch(void);

/* The path of a noted file that has other content than when it was noted, or is gone; NULL: there
 * is none. Borrowed until the next sources_watch(). */
const char *sources_find_changed(void);

#endif
