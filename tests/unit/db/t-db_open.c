/* Databases that are opened: old, foreign, busy, strange and unreadable ones.
 * covers: db.c file_state.c */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"
#include "db/file_state.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/file.h"

static struct asc_err e;

/* Opens, expects `want` and `text` in the message. */
static void refuse(const char *path, enum db_mode mode, enum asc_status want, const char *text)
{
	struct db *d = NULL;
	enum asc_status status = db_open(path, mode, &d, &e);

	tap_int(status, want, "%s: %s", mode == DB_READ ? "read" : "write", asc_status_name(want));
	if (status)
		tap_has(e.text, text, "the message says why");
	else
		db_close(d);
}

/* A database with one trial, closed. */
static const char *make(const char *name)
{
	const char *path = rows_path(name);
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	int64_t run;
	struct db *d = rows_open(path, &run);

	if (db_add_trial(d, run, &t, &e))
		tap_ok(false, "%s", e.text);
	db_close(d);
	return path;
}

static enum asc_status count_row(void *user, const struct best_row *row, struct asc_err *err)
{
	(void)row, (void)err;
	++*(int *)user;
	return ASC_OK;
}

/* -1: cannot be opened or asked. */
static int count_best(const char *path)
{
	struct db *d;
	int n = 0;

	if (db_open(path, DB_READ, &d, &e))
		return -1;
	if (best_each(d, NULL, count_row, &n, &e))
		n = -1;
	db_close(d);
	return n;
}

static void test_reading(void)
{
	const char *none = rows_path("none.db"), *path = make("one.db");
	struct db *d = NULL;
	int64_t run;

	refuse(none, DB_READ, ASC_NOTFOUND, "none.db: no such database");
	tap_ok(access(none, F_OK) != 0, "a reader makes no file");
	tap_int(count_best(path), 1, "a trial that was written is read");
	tap_int(db_open(path, DB_READ, &d, &e), ASC_OK, "a database is opened for reading");
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e), ASC_IO,
		"nothing can be recorded through a reader");
	tap_has(e.text, "cannot be written", "the message says that it cannot be written");
	db_close(d);
	tap_ok(access(rows_path("one.db-wal"), F_OK) != 0, "a reader leaves no log behind");
}

/* A file as a killed run leaves it: its results are in the log. */
static void test_full_disk(void)
{
	const char *path = rows_path("killed.db");
	struct rlimit old, none;
	pid_t child = fork();

	if (child == 0) {
		struct result r = rows_result(1, 2, 3);
		struct db_trial t = rows_trial("B=1", &r);
		int64_t run;
		struct db *d = rows_open(path, &run);
		(void)db_add_trial(d, run, &t, &e);
		kill(getpid(), SIGKILL);
	}
	(void)waitpid(child, NULL, 0);
	(void)unlink(rows_path("killed.db-shm"));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &none);
	int n = count_best(path);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_int(n, 1, "without room for a byte the log is read: %s", n < 0 ? e.text : "");
	tap_int(count_best(path), 1, "with room again the log is read");
}

static void test_strange_files(void)
{
	const char *text = rows_path("text.db"), *empty = rows_path("empty.db");
	const char *foreign = rows_path("foreign.db");
	static const char words[] = "This is not a database, and long enough to be looked at. ";
	char page[4096];

	for (size_t i = 0; i < sizeof page; i++)
		page[i] = words[i % (sizeof words - 1)];
	file_write(text, page, sizeof page, &e);
	refuse(text, DB_WRITE, ASC_INPUT, "text.db: not a database");
	refuse(text, DB_READ, ASC_INPUT, "text.db: not a database");
	refuse(rows_folder, DB_WRITE, ASC_USAGE, "is a folder");
	refuse(rows_path("no/folder.db"), DB_WRITE, ASC_IO,
	       "no cannot be written: No such file or directory");
	refuse("", DB_WRITE, ASC_USAGE, "empty");
	file_write(empty, "", 0, &e);
	refuse(empty, DB_READ, ASC_NOTFOUND, "empty.db: an empty database");
	refuse(empty, DB_WRITE, ASC_OK, "");
	rows_ask(foreign, "CREATE TABLE bookmarks(url)");
	refuse(foreign, DB_WRITE, ASC_INPUT,
	       "foreign.db: is not asctune's: a database of another program");
	tap_int(rows_ask(foreign, "SELECT count(*) FROM sqlite_schema"), 1,
		"a file of another program is left alone");
	rows_ask(rows_path("id.db"), "PRAGMA application_id = 7");
	refuse(rows_path("id.db"), DB_WRITE, ASC_INPUT, "another program");
}

static void test_versions(void)
{
	const char *path = make("newer.db");

	tap_int(rows_ask(path, "PRAGMA user_version"), 26, "the schema's version is in the file");
	tap_int(rows_ask(path, "PRAGMA application_id"), 0x41534354,
		"the file says that it is of asctune");
	rows_ask(path, "PRAGMA user_version = 99");
	refuse(path, DB_WRITE, ASC_NEWER,
	       "newer.db: written by a newer asctune (schema 99, this one knows 26)");
	refuse(path, DB_READ, ASC_NEWER, "schema 99");
	rows_ask(path, "PRAGMA user_version = 0");
	refuse(path, DB_WRITE, ASC_INPUT, "another program");
}

/* What development versions left is refused, and left as it is. */
static void test_older(void)
{
	const char *path = make("older.db");
	char version[40], text[64];

	for (int schema = 1; schema < 26; schema++) {
		snprintf(version, sizeof version, "PRAGMA user_version = %d", schema);
		snprintf(text, sizeof text, "a version before 0.1.0 (schema %d, ", schema);
		rows_ask(path, version);
		refuse(path, DB_READ, ASC_INPUT, text);
		refuse(path, DB_WRITE, ASC_INPUT, text);
		tap_has(e.text, "tests/data/golden/convert.py ",
			"the message names the conversion");
		tap_int(rows_ask(path, "PRAGMA user_version"), schema, "schema %d stays", schema);
	}
}

/* A table of an older database that is a view without end is not looked at. */
static void test_older_endless(void)
{
	const char *path = make("older-endless.db");

	rows_ask(path, "DROP TABLE peak");
	rows_ask(path, "CREATE VIEW peak AS WITH RECURSIVE n(i) AS"
		       " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS device_id,"
		       " 1.0 AS flops, 1.0 AS bandwidth, 1 AS measured_ms, 1.0 AS matrix_flops"
		       " FROM n WHERE i < 0");
	rows_ask(path, "PRAGMA user_version = 8");
	alarm(60); /* ends the test where nothing else ends the reading */
	refuse(path, DB_WRITE, ASC_INPUT, "a version before 0.1.0 (schema 8, ");
	alarm(0);
	tap_int(rows_ask(path, "PRAGMA user_version"), 8,
		"an older database without end keeps its version");
}

/* A table that somebody has made a view of, which recurses without end. */
static void test_endless(const char *name, const char *rows)
{
	const char *path = make(name);
	char sql[256];

	snprintf(sql, sizeof sql,
		 "CREATE VIEW device AS WITH RECURSIVE n(i) AS"
		 " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT hidden.* FROM hidden, n %s",
		 rows);
	rows_ask(path, "ALTER TABLE device RENAME TO hidden");
	rows_ask(path, sql);
	alarm(60); /* ends the test where nothing else ends the query */
	tap_int(count_best(path), -1, "a query over %s gives no answer", name);
	alarm(0);
	tap_int(e.status, ASC_INPUT, "a query without end is given up: the database is bad input");
	tap_has(e.text, name, "the message of a query without end names the file");
	tap_has(e.text, "reading it does not end", "the message says that it does not end");
}

static void test_names(void)
{
	char here[4096];

	if (!getcwd(here, sizeof here) || chdir(rows_folder)) {
		tap_skip("no way into %s", rows_folder);
		return;
	}
	refuse(":memory:", DB_WRITE, ASC_OK, "");
	refuse("file:x?mode=memory", DB_WRITE, ASC_OK, "");
	tap_ok(access(":memory:", F_OK) == 0, "no name means a database that vanishes");
	tap_ok(access("file:x?mode=memory", F_OK) == 0, "no name is taken for an address");
	tap_int(chdir(here), 0, "the test goes back to its folder");
}

static void test_busy_setting(void)
{
	static const char *const bad[] = {"abc", "0", "-5", "99999999999", ""};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		setenv("ASCTUNE_BUSY_TIMEOUT_MS", bad[i], 1);
		refuse(rows_path("busy.db"), DB_WRITE, ASC_USAGE, "expected milliseconds");
	}
	unsetenv("ASCTUNE_BUSY_TIMEOUT_MS");
}

static void test_network_fs(void)
{
	tap_str(network_fs_name(0x6969), "NFS", "NFS is shared between machines");
	tap_str(network_fs_name(0xff534d42), "SMB", "CIFS is shared, too");
	tap_str(network_fs_name(0xffffffffff534d42), "SMB",
		"CIFS is known where the number has a sign");
	tap_ok(!network_fs_name(0xef53), "ext4 is not shared");
	tap_int(rows_ask(make("mode.db"), "SELECT count(*) FROM pragma_journal_mode()"
					  " WHERE journal_mode = 'wal'"),
		network_fs_find(rows_folder) ? 0 : 1, "a local file gets a write-ahead log");
}

/* ---- without permission: in a child that is not root ---- */

static void give_up_root(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
			       setresuid(65534, 65534, 65534)))
		_exit(100);
}

/* The child's answer: what opening gave, plus 32 when `text` was not in the message. */
static int try_unprivileged(const char *path, enum db_mode mode, const char *text)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct db *d;

		give_up_root();
		if (access(rows_folder, X_OK))
			_exit(100);
		if (mode == DB_READ)
			_exit(count_best(path) == 1 ? 0 : strstr(e.text, text) ? 1 : 33);
		int code = (int)db_open(path, mode, &d, &e);

		_exit(code && !strstr(e.text, text) ? code + 32 : code);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void test_other_user(void)
{
	const char *path = make("others.db");

	if (geteuid() != 0 || chown(path, 65534, 65534) != 0) {
		tap_skip("databases of others are made by root");
		return;
	}
	refuse(path, DB_READ, ASC_IO,
	       "others.db belongs to user 65534, not to user 0: it is not used; copy it to use it");
	/* Nobody who is not root copies what only its owner may read. */
	tap_int(chown(path, 65533, 65533) || chmod(path, 0600), 0, "a database of a third user");
	(void)chmod(rows_folder, 0755);
	const int refused = try_unprivileged(path, DB_WRITE, "others.db belongs to user 65533"),
		  advised = try_unprivileged(path, DB_WRITE, "copy it");

	if (refused == 100) {
		tap_skip("no user without privileges can reach %s", rows_folder);
		return;
	}
	tap_int(refused, ASC_IO, "is refused to one who is not root");
	tap_int(advised, ASC_IO + 32, "a user who cannot read it is not told to copy it");
}

static void test_permissions(void)
{
	const char *path = make("private.db"), *wal = rows_path("private.db-wal");

	chmod(rows_folder, 0755);
	chmod(path, 0444);
	if (try_unprivileged(path, DB_READ, "") == 100) {
		tap_skip("no user without privileges can reach %s", rows_folder);
		return;
	}
	chmod(rows_folder, 0555);
	tap_int(try_unprivileged(path, DB_READ, ""), 0,
		"a read-only file in a read-only folder is read");
	tap_int(try_unprivileged(path, DB_WRITE,
				 "private.db: cannot be written: Permission denied"),
		ASC_IO, "a read-only file is refused for writing");
	chmod(path, 0666);
	tap_int(try_unprivileged(path, DB_READ, ""), 0, "a file in a read-only folder is read");
	tap_int(try_unprivileged(path, DB_WRITE, " cannot be written: Permission denied"), ASC_IO,
		"a file in a read-only folder is refused for writing");
	tap_int(try_unprivileged(rows_path("new.db"), DB_WRITE,
				 "cannot be written: Permission denied"),
		ASC_IO, "a new one is refused");
	chmod(path, 0000);
	tap_int(try_unprivileged(path, DB_READ, "private.db: cannot be opened: Permission denied"),
		1, "a secret one is refused");
	chmod(path, 0444);
	chmod(rows_folder, 0755);
	/* Where we are not root, the first reader was the owner and has left an index. */
	(void)unlink(rows_path("private.db-shm"));
	file_write(wal, "pending", 7, &e);
	chmod(rows_folder, 0555);
	tap_int(try_unprivileged(path, DB_READ, "copy both"), 1,
		"a log that cannot be read is not passed over");
	chmod(rows_folder, 0700);
}

int main(void)
{
	rows_enter();
	test_reading();
	test_full_disk();
	test_strange_files();
	test_versions();
	test_older();
	test_older_endless();
	test_endless("endless.db", "");
	test_endless("silent.db", "WHERE i < 0");
	test_names();
	test_busy_setting();
	test_network_fs();
	test_other_user();
	test_permissions();
	rows_leave();
	return tap_done();
}
