/* Files that a compiler read: the list that it writes as a rule of a makefile (-MD), kept beside
 * the artifact with the digest of each file, so that the next look sees whether one has changed.
 *
 * A source may be looked for in another folder by then: a copy of its tree has the same key. The
 * list has the folder that its source was in, and its files are looked for where they lie from the
 * one that the source is in now; those that are not there, as headers of the system, where they
 * were. */
#ifndef ASCTUNE_BUILD_MANIFEST_H
#define ASCTUNE_BUILD_MANIFEST_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;

/* Appends a line of the source's folder, then a line "DIGEST PATH" for each prerequisite of `rule`
 * that does not lie in `scratch`; nothing where there is none. */
enum asc_status manifest_print(const char *rule, const char *scratch, const char *folder,
			       struct buf *out, struct asc_err *e);

/* Appends the line of one file. */
enum asc_status manifest_add(const char *path, struct buf *out, struct asc_err *e);

/* Fails (ASC_INPUT) with a file of the lines that lies neither in `within`, a path without links,
 * nor in one of the folders, each in a line ` FOLDER`. `folder`: that of the source now. */
enum asc_status manifest_check_within(const char *text, const char *folder, const char *within,
				      const char *folders, struct asc_err *e);

/* True when every file of the lines is there, with that digest. `folder`: that of the source now;
 * NULL: files are where they were. A list that held is looked at again
 * after the next sources_watch(): configurations of one kernel have equal lists. */
bool manifest_holds(const char *text, const char *folder);

/* Does what manifest_holds() does, and looks at the files in any case. */
bool manifest_is_current(const char *text, const char *folder);

#endif
