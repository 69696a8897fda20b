#include "db/file_state.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "db/connection.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static const struct {
	uint32_t type;
	const char *name;
} types[] = {
	{0x00006969, "NFS"},    {0x0000517b, "SMB"},    {0xff534d42, "SMB"},
	{0xfe534d42, "SMB"},    {0x65735546, "FUSE"},   {0x01021997, "9p"},
	{0x5346414f, "AFS"},    {0x6b414653, "AFS"},    {0x00c36400, "Ceph"},
	{0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},   {0x01161970, "GFS2"},
	{0x7461636f, "OCFS2"},  {0x73757245, "Coda"},   {0x0000564c, "NCP"},
	{0x19830326, "BeeGFS"}, {0x786f4256, "vboxsf"},
};

const char *network_fs_name(unsigned long type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == (uint32_t)type)
			return types[i].name;
	return NULL;
}

const char *network_fs_find(const char *path)
{
	struct statfs at;
	char *folder = path_folder(path);
	int failed = statfs(path, &at) && (!folder || statfs(folder, &at));

	free(folder);
	return failed ? NULL : network_fs_name((unsigned long)at.f_type);
}

enum { MAIN, LOG, INDEX, INDEX_BYTES = 32768 /* smallest part that SQLite maps */ };

static const char *const suffixes[FILE_STATE_PARTS] = {
	[MAIN] = "", [LOG] = "-wal", [INDEX] = "-shm"};

/* True where SQLite finds nothing wrong with the file. */
static bool is_sound(struct db *d)
{
	sqlite3_stmt *s = NULL;

	/* Pages in the connection's memory would answer for those that the file has lost. */
	sqlite3_db_release_memory(d->sql);
	d->work = 0;
	const char *answer = NULL;

	if (sqlite3_prepare_v2(d->sql, "PRAGMA quick_check(1)", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		answer = (const char *)sqlite3_column_text(s, 0);
	const bool sound = answer && strcmp(answer, "ok") == 0;

	sqlite3_finalize(s);
	return sound;
}

/* Describes the change of one file; NULL: none. */
static const char *find_change(struct db *d, size_t part, const char *path)
{
	struct file_part *known = &d->file.parts[part];
	struct stat now;

	if (stat(path, &now) != 0)
		return known->known && (errno == ENOENT || errno == ENOTDIR) ? "removed" : NULL;
	/* On some network file systems inode numbers change. */
	if (known->known && (now.st_ino != known->inode || now.st_dev != known->device) &&
	    !network_fs_find(d->path))
		return "replaced";
	/* The log is emptied now and then, and another program may make a database smaller
	 * (VACUUM): that one is whole. */
	bool cut = part == INDEX && now.st_size < INDEX_BYTES;

	if (part == MAIN && now.st_size < known->bytes)
		cut = now.st_size == 0 || !is_sound(d);
	if (known->known && cut)
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
			/* Disables the handle: neither file belongs to this connection any more. */
			sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
			d->records = false;
		}
		free(path);
		if (change && !d->lost)
			return asc_err_nomem(e);
	}
	return d->lost ? asc_err_set(e, ASC_IO, "%s", d->lost) : ASC_OK;
}
