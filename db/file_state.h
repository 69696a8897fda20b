/* Detects that an open database is no longer the file at its path: a file that is removed or
 * replaced would swallow results silently. */
#ifndef ASCTUNE_DB_FILE_STATE_H
#define ASCTUNE_DB_FILE_STATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "tuner/base/err.h"

struct db;

enum { FILE_STATE_PARTS = 3 }; /* the database, its log, the log's index */

struct file_state {
	struct file_part {
		bool known;
		dev_t device;
		ino_t inode;
		off_t bytes;
	} parts[FILE_STATE_PARTS];
};

/* Compares the files of a database that is recorded to with their last known state. ASC_IO when one
 * was removed, replaced or truncated since: the handle can then only be closed, which leaves the
 * files alone. */
enum asc_status file_state_check(struct db *d, struct asc_err *e);

/* Name of the network file system, which several machines may mount and where a write-ahead log
 * (shared memory between the database's users) cannot work, of the file, or of its folder while
 * there is no such file: "NFS", "SMB", ...; NULL: local or unknown. */
const char *network_fs_find(const char *path);

/* Name by statfs(2)'s f_type. Source of the numbers: statfs(2) and linux/magic.h; Lustre, GPFS and
 * BeeGFS from their own documentation. */
const char *network_fs_name(unsigned long type);

#endif
