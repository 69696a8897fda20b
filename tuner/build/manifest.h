/* Files that a compiler read: the list that it writes as a rule of a makefile (-MD), kept beside
 * the artifact with the digest of each file, so that the next look sees whether one has changed. */
#ifndef ASCTUNE_BUILD_MANIFEST_H
#define ASCTUNE_BUILD_MANIFEST_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;

/* Appends a line "DIGEST PATH" for each prerequisite of `rule` that does not lie in `scratch`. */
enum asc_status manifest_print(const char *rule, const char *scratch, struct buf *out,
			       struct asc_err *e);

/* Appends the line of one file. */
enum asc_status manifest_add(const char *path, struct buf *out, struct asc_err *e);

/* Fails (ASC_INPUT) with a file of the lines that lies neither in `within`, a path without links,
 * nor in one of the folders, each in a line ` FOLDER`. */
enum asc_status manifest_check_within(const char *text, const char *within, const char *folders,
				      struct asc_err *e);

/* True when every file of the lines is there, with that digest. A list that held is looked at again
 * after the next sources_watch(): configurations of one kernel have equal lists. */
bool manifest_holds(const char *text);

/* The same, looked at now. */
bool manifest_is_current(const char *text);

#endif
