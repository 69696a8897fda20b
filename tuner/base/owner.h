/* Owners of what is read and run: a file or folder of another user, and one that others can put in
 * its place, is refused. The user's own and root's are trusted.
 *
 * Others are all who are neither; a group with the user's own number, which systems give each user,
 * does not count as others. Failures are ASC_IO and name path and reason. */
#ifndef ASCTUNE_BASE_OWNER_H
#define ASCTUNE_BASE_OWNER_H

#include "tuner/base/err.h"

/* Of a file, or of a link itself; what is not there passes. */
enum asc_status owner_check_file(const char *path, struct asc_err *e);

/* Of a folder, which others may not write to and which may not be a link; one that is not there
 * passes. */
enum asc_status owner_check_folder(const char *path, struct asc_err *e);

/* Fails where a part of the path is a link that others may have made or can replace: a link in a
 * folder that they can write to, unless that is sticky and the link the user's or root's. */
enum asc_status owner_check_links(const char *path, struct asc_err *e);

#endif
