/* A database on a network file system is for one machine: statfs() of this program says what the
 * file system is, and notes are written as another machine would leave them.
 * covers: host_note.c */
#include "db/host_note.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/file.h"

enum { EXT4 = 0xef53, NFS = 0x6969, GPFS = 0x47504653, FUSE = 0x65735546 };

static unsigned long type = EXT4; /* of all files */
static struct asc_err e;

/* In place of the C library's, for the whole program. */
int statfs(const char *path, struct statfs *out)
{
	*out = (struct statfs){.f_type = (__typeof__(out->f_type))type};
	return access(path, F_OK);
}

static struct db *open_on(unsigned long fs, const char *name)
{
	struct db *d = NULL;

	type = fs;
	if (db_open(rows_path(name), DB_WRITE, &d, &e))
		tap_note("%s", e.text);
	return d;
}

static void write_note(const char *name, const char *text)
{
	char path[5200];

	snprintf(path, sizeof path, "%s-host", rows_path(name));
	if (file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
}

static bool has_note(const char *name)
{
	char path[5200];

	snprintf(path, sizeof path, "%s-host", rows_path(name));
	return access(path, F_OK) == 0;
}

static void test_one_machine(void)
{
	struct db *local = open_on(EXT4, "local.db");

	tap_ok(local && !has_note("local.db"), "a local file has no note");
	db_close(local);
	struct db *first = open_on(NFS, "shared.db"), *second = open_on(NFS, "shared.db");

	tap_ok(first && second, "two that record on one machine");
	tap_ok(has_note("shared.db"), "with a note");
	tap_int(rows_ask(rows_path("shared.db"),
			 "SELECT count(*) FROM pragma_journal_mode() WHERE journal_mode = 'wal'"),
		0, "and no write-ahead log");
	db_close(first);
	tap_ok(has_note("shared.db"), "which stays for the second");
	db_close(second);
	tap_ok(!has_note("shared.db"), "and goes with it");
}

static void test_other_machine(void)
{
	struct db *d = open_on(FUSE, "other.db");

	db_close(d);
	write_note("other.db", "node7 11111111-2222-3333-4444-555555555555");
	d = open_on(FUSE, "other.db");
	tap_ok(!d, "another machine's note");
	tap_int(e.status, ASC_BUSY, "refuses this one");
	tap_has(e.text, "on FUSE, and host node7 records into it", "by the name of that machine");
	tap_has(e.text, "other.db-host", "and of the file to remove");
	tap_ok(has_note("other.db"), "the note stays");
	struct db *reader = NULL;

	tap_int(db_open(rows_path("other.db"), DB_READ, &reader, &e), ASC_OK, "who reads may");
	db_close(reader);
	d = open_on(NFS, "other.db");
	tap_ok(!d, "nor where locks may be each machine's own");
	d = open_on(EXT4, "other.db");
	tap_ok(d != NULL, "a local file is not concerned");
	db_close(d);
	/* Locks of GPFS reach all machines: nobody holds this note any more. */
	d = open_on(GPFS, "other.db");
	tap_ok(d != NULL, "a note without its lock, where locks reach all machines");
	db_close(d);
	tap_ok(!has_note("other.db"), "is taken over");
}

/* The other machine holds its lock. */
static void test_held(void)
{
	char path[5200];

	db_close(open_on(GPFS, "held.db"));
	write_note("held.db", "node7 11111111-2222-3333-4444-555555555555");
	snprintf(path, sizeof path, "%s-host", rows_path("held.db"));
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	tap_ok(fd >= 0 && flock(fd, LOCK_SH) == 0, "another machine records");
	tap_ok(!open_on(GPFS, "held.db"), "this one may not");
	tap_has(e.text, "on GPFS, and host node7 records into it", "which is said");
	close(fd);
	struct db *d = open_on(GPFS, "held.db");

	tap_ok(d != NULL, "until that one has ended");
	db_close(d);
}

/* A process that is killed leaves its note; its machine goes on. */
static void test_killed(void)
{
	const pid_t child = fork();

	if (child == 0) {
		(void)open_on(FUSE, "killed.db");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	tap_ok(has_note("killed.db"), "a process without an end leaves its note");
	struct db *d = open_on(FUSE, "killed.db");

	tap_ok(d != NULL, "its machine goes on");
	db_close(d);
	tap_ok(!has_note("killed.db"), "and removes it in the end");
}

static void test_options(void)
{
	tap_ok(host_note_locks_reach("NFS", "rw,vers=4.2,local_lock=none,addr=10.0.0.1\n"),
	       "NFS whose locks are the server's");
	tap_ok(!host_note_locks_reach("NFS", "rw,nolock,local_lock=all\n"), "or each machine's");
	tap_ok(!host_note_locks_reach("NFS", ""), "or nobody says whose");
	tap_ok(host_note_locks_reach("Lustre", "rw,flock\n"), "Lustre with locks");
	tap_ok(!host_note_locks_reach("Lustre", "rw,localflock,lazystatfs\n"), "of each machine");
	tap_ok(host_note_locks_reach("Ceph", ""), "Ceph");
	tap_ok(!host_note_locks_reach("SMB", "rw,local_lock=none"), "SMB");
}

int main(void)
{
	rows_enter();
	test_one_machine();
	test_other_machine();
	test_held();
	test_killed();
	test_options();
	rows_leave();
	return tap_done();
}
