/* Owners of files that are read or run: files and folders of other users, and those that other
 * users can replace, are refused. The user's own and root's are trusted.
 *
 * A group with the user's own number, which systems give each user, does not count as other users.
 * Failures are ASC_IO and name path and reason. */
#ifndef ASCTUNE_BASE_OWNER_H
#define ASCTUNE_BASE_OWNER_H

#include "tuner/base/err.h"

/* Fails where the file, or the link itself, belongs to another user; a path with nothing at it
 * passes. */
enum asc_status owner_check_file(const char *path, struct asc_err *e);

/* Fails where the folder belongs to another user, others can write to it, or the path is a link or
 * a file; a path with nothing at it passes. */
enum asc_status owner_check_folder(const char *path, struct asc_err *e);

/* Fails where a part of the path is a link that others may have made or can replace: a link in a
 * folder that they can write to, unless that is sticky and the link the user's or root's. */
enum asc_status owner_check_links(const char *path, struct asc_err *e);

#endif
