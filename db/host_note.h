/* Keeps a database on a network file system to one machine. SQLite's locks are the file system's,
 * and some of these give each machine its own: two that record would damage the file, and neither
 * could tell (sqlite.org/howtocorrupt.html, 2.1; sqlite.org/lockingv3.html, 6). So who records
 * leaves a note beside the file, DB-host, locked as long as it records: its machine and the
 * kernel's boot, which containers of one machine share. Processes of one machine share the note;
 * the last one removes it. */
#ifndef ASCTUNE_DB_HOST_NOTE_H
#define ASCTUNE_DB_HOST_NOTE_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct host_note {
	char *path; /* heap; NULL: there is no note, as on a local disk */
	int fd;
};

/* Leaves a note; none on a local disk. ASC_BUSY where another machine's is there, unless its lock
 * is gone and the file system's locks are known to reach all machines. *n is zeroed at first. */
enum asc_status host_note_take(struct host_note *n, const char *db_path, struct asc_err *e);
void host_note_drop(struct host_note *n);

/* True where locks of a file system, by its name and the options that it is mounted with
 * ("rw,local_lock=none"), reach all machines. */
bool host_note_locks_reach(const char *fs, const char *options);

#endif
