#include "db/file_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/connection.h"
#include "db/network_fs.h"
#include "tuner/base/buf.h"

enum { MAIN, LOG, INDEX, INDEX_BYTES = 32768 /* the least that SQLite maps */ };

static const char *const suffixes[FILE_STATE_PARTS] = {
	[MAIN] = "", [LOG] = "-wal", [INDEX] = "-shm"};

/* What the connection remembers of the file is dropped first. */
static bool is_sound(struct db *d)
{
	sqlite3_stmt *stmt = NULL;

	sqlite3_db_release_memory(d->sql);
	bool sound = sqlite3_prepare_v2(d->sql, "PRAGMA quick_check(1)", -1, &stmt, NULL) == 0 &&
		     sqlite3_step(stmt) == SQLITE_ROW &&
		     strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0;
	sqlite3_finalize(stmt);
	return sound;
}

/* Another program may make a database smaller (VACUUM), and the log is emptied now and then. */
static bool is_truncated(struct db *d, size_t part, const struct stat *now)
{
	if (part == INDEX)
		return now->st_size < INDEX_BYTES;
	if (part == LOG || now->st_size >= d->file.parts[part].bytes)
		return false;
	return now->st_size == 0 || !is_sound(d);
}

/* What became of one file; NULL: nothing. On some network file systems numbers of files change. */
static const char *find_change(struct db *d, size_t part, const char *path)
{
	struct file_part *known = &d->file.parts[part];
	struct stat now;

	if (stat(path, &now) != 0)
		return known->known && (errno == ENOENT || errno == ENOTDIR) ? "removed" : NULL;
	if (known->known && (now.st_ino != known->inode || now.st_dev != known->device) &&
	    !network_fs_find(d->path))
		return "replaced";
	if (known->known && is_truncated(d, part, &now))
		return "truncated";
	*known = (struct file_part){true, now.st_dev, now.st_ino, now.st_size};
	return NULL;
}

enum asc_status file_state_check(struct db *d, struct asc_err *e)
{
	for (size_t i = 0; d->records && i < FILE_STATE_PARTS; i++) {
		char *path = str_print("%s%s", d->path, suffixes[i]);
		if (!path)
			return asc_err_nomem(e);
		const char *change = find_change(d, i, path);
		if (change) {
			d->lost = str_print("%s was %s while results were recorded", path, change);
			/* Neither file is this connection's any more. */
			sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
			d->records = false;
		}
		free(path);
		if (change && !d->lost)
			return asc_err_nomem(e);
	}
	return d->lost ? asc_err_set(e, ASC_IO, "%s", d->lost) : ASC_OK;
}
