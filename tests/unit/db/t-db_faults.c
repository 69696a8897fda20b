/* Other processes, sudden death and a full disk: what was recorded stays recorded.
 * covers: db.c file_state.c statement.c */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/db.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/stats/rng.h"

static struct asc_err e;

/* Records trials NAME=0, NAME=1, ... and reports each number once it is recorded; at most `n`. */
static enum asc_status record(const char *path, char name, int n, int report)
{
	int64_t run;
	struct db *d = rows_open(path, &run);
	struct result r = rows_result(100, 200, 300);
	enum asc_status status = ASC_OK;

	for (int i = 0; i < n && status == ASC_OK; i++) {
		char key[32];
		struct db_trial t = rows_trial(key, &r);

		snprintf(key, sizeof key, "%c=%d", name, i);
		status = db_add_trial(d, run, &t, &e);
		if (status == ASC_OK && report >= 0 && write(report, &i, sizeof i) != sizeof i)
			break;
	}
	db_close(d);
	return status;
}

static void check_whole(const char *path, int64_t at_least)
{
	int64_t whole = rows_ask(
		path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'");
	int64_t rows = rows_ask(path, "SELECT count(*) FROM trial");

	tap_ok(whole == 1 && rows >= at_least, "%lld trials were recorded, %lld are there",
	       (long long)at_least, (long long)rows);
}

/* Between writers that never rest a log begins anew all the same: 30,000 trials write 160 to 230 MB
 * to it. One that empties it beside a busy disk takes so long that the others write up to 81 MB. */
static void test_long_log(void)
{
	enum { WRITERS = 6, EACH = 5000, MOST_BYTES = 125 << 20 };
	const char *path = rows_path("log.db"), *log = rows_path("log.db-wal");
	int bad = 0;
	struct stat info;
	off_t most = 0;

	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0)
			_exit(record(path, (char)('A' + i), EACH, -1));

	for (int left = WRITERS; left > 0; usleep(1000)) {
		int status = 0;

		if (stat(log, &info) == 0 && info.st_size > most)
			most = info.st_size;
		if (waitpid(-1, &status, WNOHANG) > 0) {
			left--;
			bad += status != 0;
		}
	}
	tap_int(bad, 0, "six processes record 5000 trials each");
	check_whole(path, WRITERS * EACH);
	tap_ok(most < MOST_BYTES, "the log beside the file had %lld bytes at most",
	       (long long)most);
}

static void test_two_writers(void)
{
	const char *path = rows_path("two.db");
	pid_t children[2];
	int bad = 0;

	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(record(path, (char)('A' + i), 500, -1));
	}
	for (int i = 0; i < 2; i++) {
		int status = 1;

		waitpid(children[i], &status, 0);
		bad += status != 0;
	}
	tap_int(bad, 0, "two processes make a database and record 500 trials each");
	check_whole(path, 1000);
	tap_int(rows_ask(path, "SELECT count(DISTINCT config_key) FROM trial"), 1000,
		"every one of them");
	tap_int(rows_ask(path, "SELECT count(*) FROM device, problem, implementation"), 1,
		"they share the rows that describe the same");
}

/* ---- killed ---- */

static int last_report(int from)
{
	int last = -1, i;

	while (read(from, &i, sizeof i) == sizeof i)
		last = i;
	return last;
}

static int64_t kill_writer(const char *path, char name, unsigned after_us)
{
	int ends[2], last;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0)
		return -1;
	if (child == 0) {
		close(ends[0]);
		_exit(record(path, name, 1 << 30, ends[1]));
	}
	close(ends[1]);
	usleep(after_us);
	kill(child, SIGKILL);
	last = last_report(ends[0]);
	waitpid(child, NULL, 0);
	close(ends[0]);
	return last + 1;
}

static void test_killed(void)
{
	const char *path = rows_path("killed.db");
	int64_t recorded = 0;
	struct rng rng;

	rng_init(&rng, (uint64_t)getpid());
	for (int i = 0; i < 20; i++) {
		recorded += kill_writer(path, (char)('A' + i),
					(unsigned)(500 + rng_below(&rng, 25000)));
		struct db *d;

		if (db_open(path, DB_WRITE, &d, &e) == ASC_OK)
			db_close(d);
		else
			tap_ok(false, "%s", e.text);
		check_whole(path, recorded);
	}
	tap_int(rows_ask(path, "SELECT count(DISTINCT config_key) - count(*) FROM trial"), 0,
		"nothing is there twice");
}

/* ---- full and locked ---- */

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = {bytes, bytes};

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(100);
}

static void test_full(void)
{
	const char *path = rows_path("full.db");
	int ends[2], status = 0;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0) {
		tap_skip("no process: %s", strerror(errno));
		return;
	}
	if (child == 0) {
		close(ends[0]);
		limit_files(300 << 10);
		enum asc_status got = record(path, 'F', 1 << 30, ends[1]);

		_exit(strstr(e.text, "full.db: cannot be written: File too large") ? (int)got : 50);
	}
	close(ends[1]);
	int recorded = last_report(ends[0]) + 1;

	waitpid(child, &status, 0);
	close(ends[0]);
	tap_int(WEXITSTATUS(status), ASC_FULL, "a limit on files is reported as a full disk");
	tap_ok(recorded > 10, "after %d trials", recorded);
	check_whole(path, recorded);
	tap_int(record(path, 'G', 10, -1), ASC_OK, "with space again it goes on");
}

/* Makes a database in a child whose files end at `bytes`; returns its wait status. There SIGXFSZ
 * kills it where `killed`, else the write fails. */
static int make_limited(const char *path, rlim_t bytes, bool killed)
{
	const struct rlimit limit = {bytes, bytes}, no_core = {0, 0};
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct db *d = NULL;

		signal(SIGXFSZ, killed ? SIG_DFL : SIG_IGN);
		if (setrlimit(RLIMIT_CORE, &no_core) || setrlimit(RLIMIT_FSIZE, &limit))
			_exit(100);
		enum asc_status got = db_open(path, DB_WRITE, &d, &e);

		db_close(d);
		_exit(got && !strstr(e.text, "cannot be written: File too large") ? 50 : (int)got);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status;
}

/* What stops the making of a database at any write leaves one that is whole, or none: a reader is
 * not told that it is of an older version, and a writer makes it. */
static void test_creation(bool killed)
{
	const char *path = rows_path(killed ? "made.db" : "room.db");
	const char *const parts[] = {"", "-wal", "-shm", "-journal"};
	int stopped = 0, strange = 0, half = 0, lost = 0;
	bool whole = false;

	for (rlim_t bytes = 0; !whole && bytes < 1 << 20; bytes += 2999) {
		const int status = make_limited(path, bytes, killed);
		struct db *d = NULL;

		whole = WIFEXITED(status) && WEXITSTATUS(status) == ASC_OK;
		stopped += !whole;
		strange +=
			!whole && (killed ? !WIFSIGNALED(status)
					  : !WIFEXITED(status) || WEXITSTATUS(status) != ASC_FULL);
		const enum asc_status read = db_open(path, DB_READ, &d, &e);
		half += read != ASC_OK && read != ASC_NOTFOUND;
		if (half == 1 && read != ASC_OK && read != ASC_NOTFOUND)
			tap_note("room for %lld bytes: %s", (long long)bytes, e.text);
		db_close(d);
		d = NULL;
		lost += db_open(path, DB_WRITE, &d, &e) != ASC_OK;
		db_close(d);
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
			char part[4096];

			(void)snprintf(part, sizeof part, "%s%s", path, parts[i]);
			(void)unlink(part);
		}
	}
	const char *how = killed ? "killed" : "stopped by a limit on files";

	tap_ok(stopped > 10 && whole, "the making of a database is %s %d times", how, stopped);
	tap_int(strange, 0, "%s: no other end, and \"File too large\" is what is said", how);
	tap_int(half, 0, "%s: a reader finds a whole database or none", how);
	tap_int(lost, 0, "%s: the next writer makes the database", how);
}

static void test_locked(void)
{
	const char *path = rows_path("locked.db");
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	sqlite3 *other = NULL;
	struct db *reader;
	int64_t run;

	setenv("ASCTUNE_BUSY_TIMEOUT_MS", "100", 1);
	struct db *d = rows_open(path, &run);

	sqlite3_open(path, &other);
	sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
	tap_int(db_add_trial(d, run, &t, &e), ASC_BUSY, "a lock that is held is waited for");
	tap_has(e.text, "locked.db: locked by another process for more than 0.1 s", "not for ever");
	tap_int(db_open(path, DB_READ, &reader, &e), ASC_OK, "readers are not kept out");
	db_close(reader);
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "afterwards it goes on");
	sqlite3_exec(other, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
	sqlite3_close(other);
	db_close(d);
	sqlite3_open(path, &other);
	sqlite3_exec(other, "PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE", NULL, NULL, NULL);
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_BUSY, "opening waits as long");
	sqlite3_close(other);
	unsetenv("ASCTUNE_BUSY_TIMEOUT_MS");
}

/* Tables that another program has changed: the message has no names of SQL's columns. */
static void test_changed(void)
{
	const char *path = rows_path("changed.db");
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	sqlite3 *other = NULL;
	int64_t run;
	struct db *d = rows_open(path, &run);

	sqlite3_open(path, &other);
	sqlite3_exec(other,
		     "CREATE TRIGGER refuse BEFORE INSERT ON trial BEGIN"
		     " SELECT raise(FAIL, 'trial.median_ns'); END",
		     NULL, NULL, NULL);
	tap_int(db_add_trial(d, run, &t, &e), ASC_INPUT, "a row that the tables refuse");
	tap_has(e.text,
		"changed.db: a damaged database, or changed by another program: its rows do "
		"not fit together",
		"is told as such");
	sqlite3_exec(other, "DROP TRIGGER refuse; ALTER TABLE trial RENAME COLUMN median_ns TO m",
		     NULL, NULL, NULL);
	sqlite3_close(other);
	tap_int(db_add_trial(d, run, &t, &e), ASC_INPUT, "a column that is gone");
	tap_has(e.text,
		"changed.db: a damaged database, or changed by another program: its tables are "
		"not asctune's",
		"is told as such, too");
	tap_ok(!strstr(e.text, "median"), "without names of SQL");
	db_close(d);
}

/* A database that another program makes smaller is looked through, whatever work the statement
 * before has left on the count that bounds a statement. */
static void test_smaller(void)
{
	const char *path = rows_path("smaller.db");
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	int64_t run;
	struct db *d;

	/* So many rows that the count is looked at. */
	record(path, 'S', 1, -1);
	rows_ask(path, "INSERT INTO metric_name(probe, name, unit) WITH RECURSIVE n(i) AS"
		       " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
		       " SELECT 'p', 'metric' || i, '1' FROM n");
	d = rows_open(path, &run);
	rows_ask(path, "DELETE FROM metric_name WHERE id > 250000");
	rows_ask(path, "VACUUM");
	rows_ask(path, "PRAGMA wal_checkpoint(TRUNCATE)");
	d->work = INT64_MAX / 2;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a database made smaller is recorded to: %s",
		d->lost ? d->lost : "");
	db_close(d);
}

/* Sorting more than fits in memory, in a database that is only read. */
static void test_temporary(void)
{
	const char *path = rows_path("sorted.db");
	struct rlimit old, small;
	struct db *d = NULL;
	int64_t run;

	db_close(rows_open(path, &run));
	tap_int(db_open(path, DB_READ, &d, &e) || db_exec(d, "PRAGMA cache_size=10", &e), 0,
		"opened");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){.rlim_cur = 1000, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	const enum asc_status status = db_exec(
		d,
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT"
		" sum(length(r)) FROM (SELECT randomblob(500) AS r FROM n ORDER BY r LIMIT -1 "
		"OFFSET 1)",
		&e);

	setrlimit(RLIMIT_FSIZE, &old);
	tap_int(status, ASC_FULL, "a limit on the size of files");
	tap_ok(strstr(e.text, "no temporary file can be written in /") != NULL,
	       "is one of temporary files: %s", e.text);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_changed();
	test_two_writers();
	test_long_log();
	test_killed();
	test_full();
	test_temporary();
	test_creation(false);
	test_creation(true);
	test_locked();
	test_smaller();
	rows_leave();
	return tap_done();
}
