/* Is the open database still the file that its path names? A file that is removed or replaced
 * takes results without a word, and nobody finds them. */
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

/* Looks at the files of a database that is recorded to. ASC_IO when one was removed, replaced or
 * truncated since the last look: then the handle can no longer be used but to be closed, and
 * closing it leaves the files alone. */
enum asc_status file_state_check(struct db *d, struct asc_err *e);

#endif
