#include "db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/file_state.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/owner.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"

enum {
	BUSY_MS = 10000,       /* far more than a commit takes, even on a slow disk */
	GLANCE_MS = 200,       /* a screen that is drawn again every second can miss one look */
	MAX_BUSY_MS = 3600000, /* an hour; nanoseconds of it are far from the end of int64_t */
	NS_PER_MS = 1000000,
	RETRY_US = 500,   /* first wait between two tries; the n-th is n times as long, ... */
	MAX_WAIT = 8,     /* ... up to this many times: of many writers some miss 50 tries */
	LOG_PAGES = 1000, /* SQLite's own: 2 MB */
	LONG_LOG_PAGES = 8000,
	WORK_STEPS = 1000000, /* between two calls of bound_work(): 10 ms */
	FREE_STEPS = 20000000,
	STEPS_PER_BYTE = 100
};

#define SAY_AGAIN_NS INT64_C(300000000000) /* a line every 5 minutes says that a wait goes on */
#define IMMUTABLE    "?immutable=1"        /* in a URI: nobody changes the file */

/* ---- the connection ---- */

/* NULL: `e` says why. */
static struct db *new_db(const char *path, struct asc_err *e)
{
	const char *text = getenv("ASCTUNE_BUSY_TIMEOUT_MS");
	uint64_t busy_ms = BUSY_MS;

	if (text && (!units_parse_count(text, &busy_ms) || busy_ms > MAX_BUSY_MS)) {
		asc_err_set(e, ASC_USAGE,
			    "ASCTUNE_BUSY_TIMEOUT_MS: expected milliseconds from 1 to %d, "
			    "not \"%s\"",
			    MAX_BUSY_MS, text);
		return NULL;
	}
	/* SQLite would take the empty name for a database that vanishes. */
	if (!*path) {
		asc_err_set(e, ASC_USAGE, "the name of the database is empty");
		return NULL;
	}
	struct db *d = calloc(1, sizeof *d);
	char *copy = str_dup(path);

	if (!d || !copy) {
		free(d);
		free(copy);
		asc_err_nomem(e);
		return NULL;
	}
	d->path = copy;
	d->busy_ms = (int)busy_ms;
	return d;
}

/* URI of a path, escaped. SQLite would take the plain names ":memory:" and "" for databases that
 * vanish. */
static char *make_uri(const char *path, const char *query)
{
	struct buf uri = {0};

	buf_add_str(&uri, path[0] == '/' ? "file:" : "file:./");
	for (const char *p = path; *p; p++)
		if (strchr("%?#", *p))
			buf_print(&uri, "%%%02X", (unsigned char)*p);
		else
			buf_add_char(&uri, *p);
	buf_add_str(&uri, query);
	return buf_take(&uri);
}

static void disconnect(struct db *d)
{
	statement_forget(d);
	sqlite3_close(d->sql);
	d->sql = NULL;
}

/* A link is followed; the owner of its file counts. */
static enum asc_status check_owner(const char *path, struct asc_err *e)
{
	if (owner_check_links(path, e))
		return e->status;
	char *real = realpath(path, NULL);
	const char *file = real ? real : path;
	enum asc_status s = owner_check_file(file, e);
	const struct asc_err why = *e;

	if (s == ASC_IO && access(file, R_OK) == 0)
		asc_err_set(e, s, "%s; copy it to use it", why.text);
	free(real);
	return s;
}

/* Refuses what is no file, in the place of the database or of a file that SQLite keeps beside it:
 * the opening of a pipe would wait for its other end. Refuses those of other users, too. */
static enum asc_status check_files(const struct db *d, struct asc_err *e)
{
	static const char *const parts[] = {"", "-journal", "-wal", "-shm", "-host"};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *path = str_print("%s%s", d->path, parts[i]);
		const char *special = path ? file_find_special(path) : NULL;
		if (!path)
			return asc_err_nomem(e);
		enum asc_status s =
			special ? asc_err_set(e, ASC_USAGE, "%s: is %s, not a file of a database",
					      path, special)
				: check_owner(path, e);
		free(path);
		if (s)
			return s;
	}
	return ASC_OK;
}

/* Busy handler: waits a little for another process's lock; SQLite calls it again until it returns
 * 0. */
static int wait_for_lock(void *user, int count)
{
	struct db *d = user;
	int64_t now = clock_now_ns();

	if (count == 0) {
		d->locked_ns = now;
		d->said_ns = 0;
	}
	int64_t waited_ns = now - d->locked_ns, limit_ns = (int64_t)d->busy_ms * NS_PER_MS;
	/* A file system without locks gives the same answer however long one waits. */
	if (db_lock_failed(errno) || (waited_ns >= limit_ns && !db_waits_on()))
		return 0;
	if (waited_ns >= limit_ns && (!d->said_ns || now - d->said_ns >= SAY_AGAIN_NS)) {
		char text[UNITS_TEXT_SIZE];
		log_print(LOG_WARN, "%s has been locked by another process for %s: waiting for it",
			  d->path, units_print_duration((double)waited_ns, text));
		d->said_ns = now;
	}
	usleep(RETRY_US * (count < MAX_WAIT ? (useconds_t)count + 1 : MAX_WAIT));
	return 1;
}

void db_set_up_process(void)
{
	/* Else every temporary table touches 100 pages. */
	(void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	/* A count of the memory in use, which nobody asks for, takes a lock at each piece. */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Progress handler: ends a statement whose work the size of the file does not explain, such as one
 * over a view that recurses without end, with rows or without. Work is counted in steps of SQLite's
 * machine: time would depend on the load and on the disk. Databases of 80 to 300,000 trials take at
 * most 6 steps a byte of the file in any statement of best, track, report, show and all exports,
 * and one of 8000 runs fewer than 5 in its whole migration; the first 20 million (0.2 s) are for
 * small files, and for tables with few rows. */
static int bound_work(void *user)
{
	struct db *d = user;
	const char *const paths[] = {d->path, d->attached};
	int64_t most = FREE_STEPS;
	struct stat info;

	d->work += WORK_STEPS;
	for (size_t i = 0; i < sizeof paths / sizeof *paths && d->work > most; i++) {
		char wal[PATH_MAX]; /* a path that is longer is no file's */

		if (!paths[i])
			continue;
		/* A journal that is not yet in the file counts, too. */
		(void)snprintf(wal, sizeof wal, "%s-wal", paths[i]);
		most += stat(paths[i], &info) == 0 ? info.st_size * STEPS_PER_BYTE : 0;
		most += stat(wal, &info) == 0 ? info.st_size * STEPS_PER_BYTE : 0;
	}
	return d->work > most;
}

/* SQL's is_search(strategy): false for runs of configurations that somebody asked for: those of
 * --config and `profile`, what --cover and --table compare after a search, and sides of a gate. */
static void is_search(sqlite3_context *c, int n, sqlite3_value **values)
{
	static const char *const asked[] = {"config", "cover", "gate", "profile", "table", NULL};
	const char *strategy = (const char *)sqlite3_value_text(values[0]);

	(void)n;
	sqlite3_result_int(c, !strategy || !str_is_in(strategy, asked));
}

static enum asc_status connect(struct db *d, int flags, const char *query, struct asc_err *e)
{
	char *uri = make_uri(d->path, query);

	disconnect(d);
	if (!uri)
		return asc_err_nomem(e);
	errno = 0;
	int code =
		sqlite3_open_v2(uri, &d->sql, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);

	free(uri);
	if (code)
		return db_fail(d, code, e);
	/* db_fail() tells a foreign key from another constraint, and a full disk from others. */
	sqlite3_extended_result_codes(d->sql, 1);
	sqlite3_busy_handler(d->sql, wait_for_lock, d);
	sqlite3_progress_handler(d->sql, WORK_STEPS, bound_work, d);
	code = sqlite3_create_function(d->sql, "is_search", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
				       NULL, is_search, NULL, NULL);
	return code ? db_fail(d, code, e) : ASC_OK;
}

/* ---- the schema ---- */

enum {
	APPLICATION_ID = 0x41534354, /* "ASCT" */
	SCHEMA = 26 /* PRAGMA user_version of db/schema.sql; those before 0.1.0 were below */
};

static enum asc_status fail_old(const struct db *d, int64_t version, struct asc_err *e)
{
	struct buf command = {0};

	buf_add_str(&command, "tests/data/golden/convert.py");
	shell_add_argument(&command, d->path);
	shell_add_argument(&command, "NEW");
	if (buf_check(&command, e) == ASC_OK)
		(void)asc_err_set(e, ASC_INPUT,
				  "%s: written by a version before 0.1.0 (schema %" PRId64
				  ", this one reads %d): `%s` in asctune's sources converts it",
				  d->path, version, (int)SCHEMA, buf_str(&command));
	buf_fini(&command);
	return e->status;
}

/* Checks that the file has this schema, or (*current is false) nothing at all. */
static enum asc_status check_schema(struct db *d, bool *current, struct asc_err *e)
{
	struct statement s;
	int64_t id = 0, version = 0, objects = 0;
	bool row;

	/* One statement, so that all three are of one moment while another process makes the file.
	 */
	statement_begin(&s, d,
			"SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
			" FROM pragma_application_id, pragma_user_version");
	enum asc_status status = statement_step(&s, &row, e);

	if (status == ASC_OK) {
		id = statement_take_int(&s);
		version = statement_take_int(&s);
		objects = statement_take_int(&s);
	}
	statement_end(&s);
	*current = version == SCHEMA;
	if (status != ASC_OK)
		return status;
	if (id == APPLICATION_ID ? version < 1 : id || version || objects)
		return asc_err_set(e, ASC_INPUT,
				   "%s: is not asctune's: a database of another program", d->path);
	if (version > SCHEMA)
		return asc_err_set(e, ASC_NEWER,
				   "%s: written by a newer asctune (schema %" PRId64
				   ", this one knows %d)",
				   d->path, version, (int)SCHEMA);
	if (version && version < SCHEMA)
		return fail_old(d, version, e);
	return ASC_OK;
}

/* Makes the schema of an empty file in one transaction: what fails, or is killed, leaves it empty.
 * Other processes may do the same at the same time. */
static enum asc_status make_schema(struct db *d, struct asc_err *e)
{
	bool current;
	enum asc_status status = check_schema(d, &current, e);

	if (status != ASC_OK || current)
		return status;
	if (transaction_begin(d, e))
		return e->status;
	/* Another process may have made it meanwhile. */
	status = check_schema(d, &current, e);
	if (status == ASC_OK && !current)
		status = db_exec(d, sql_schema, e);
	return transaction_end(d, status, e);
}

/* ---- writing ---- */

/* Refuses a file that cannot be written: SQLite would silently open it for reading. SQLite also
 * needs the folder, for its log. */
static enum asc_status check_writable(const struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	char *folder = path_folder(d->path);

	if (!folder)
		return asc_err_nomem(e);
	if (eaccess(d->path, W_OK) && errno != ENOENT && errno != ENOTDIR)
		status = asc_err_set(e, ASC_IO, "%s: cannot be written: %s", d->path,
				     strerror(errno));
	else if (eaccess(folder, W_OK))
		status = asc_err_set(e, ASC_IO, "%s: the folder %s cannot be written: %s", d->path,
				     folder, strerror(errno));
	free(folder);
	return status;
}

/* Sets the journal's mode, which stays in the file. */
static enum asc_status set_journal(struct db *d, struct asc_err *e)
{
	static bool said;
	const char *network = network_fs_find(d->path);
	int64_t end = clock_now_ns() + (int64_t)d->busy_ms * NS_PER_MS;
	enum asc_status status;

	/* A write-ahead log needs memory that all users share, which machines do not. */
	const char *sql = network ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL";

	if (network && !said) {
		log_print(LOG_NOTE,
			  "%s is on a network file system (%s): journal mode DELETE, recording is "
			  "slower",
			  d->path, network);
		said = true;
	}
	/* SQLite turns one of two processes that change the mode of a new file at once away without
	 * waiting: so this tries until the mode is set. */
	while ((status = db_exec(d, sql, e)) == ASC_BUSY && (clock_now_ns() < end || db_waits_on()))
		usleep(RETRY_US);
	return status;
}

/* Empties the log into the file for every LOG_PAGES that it has grown by since this process did so.
 * SQLite would do it at each commit to a log that is longer, which one that several processes
 * write to stays: each commit would wait for the disk twice. Nor does such a log begin anew by
 * itself, since somebody always writes to its end: when it is long, the others wait for that. */
static int empty_log(void *user, sqlite3 *sql, const char *name, int pages)
{
	struct db *d = user;

	if (pages < d->emptied_at)
		d->emptied_at = 0; /* the log has begun anew */
	if (pages - d->emptied_at < LOG_PAGES)
		return SQLITE_OK;
	d->emptied_at = pages;
	/* Pages go beside others that write. Where one of these does the same, nothing is left to
	 * do. */
	int code = sqlite3_wal_checkpoint_v2(sql, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);

	if (code == SQLITE_OK && pages >= LONG_LOG_PAGES)
		(void)sqlite3_wal_checkpoint_v2(sql, name, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
	return SQLITE_OK;
}

/* Opens for writing, in this order: what the file is comes before anything that is kept in it is
 * touched; the size of pages before the journal, which fixes it; the schema last, since its
 * transaction is the first. */
static enum asc_status open_for_writing(struct db *d, bool durable, struct asc_err *e)
{
	bool current;

	if (check_writable(d, e) || host_note_take(&d->host, d->path, e))
		return e->status;
	/* A new file with the permissions that the umask leaves: SQLite would leave the group none
	 * to write. A failure is left to SQLite, which says more. */
	int fd = open(d->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd >= 0)
		close(fd);
	if (connect(d, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", e) ||
	    check_schema(d, &current, e))
		return e->status;
	/* A commit writes whole pages: 9.6 KB a trial with those of 2 KB, 6.2 with 1 KB and 16.5
	 * with 4 KB. But each page costs whoever reads or fills a large file: with 1 KB a merge
	 * takes 1.25 times as long, and a trial 252 bytes in place of 234. The cache of pages is
	 * bounded, so that a long run does not grow. */
	if (db_exec(d, "PRAGMA page_size=2048; " DB_SMALL_CACHE, e) || set_journal(d, e) ||
	    db_exec(d, durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", e) ||
	    db_exec(d, "PRAGMA foreign_keys=ON", e) || make_schema(d, e))
		return e->status;
	sqlite3_wal_hook(d->sql, empty_log, d);
	d->records = true;
	return ASC_OK;
}

/* ---- reading ---- */

/* Reads the file as if nobody could change it, where the log's index cannot be made: sound only
 * when no log is beside it. */
static enum asc_status connect_immutable(struct db *d, struct asc_err *e)
{
	char *wal = str_print("%s-wal", d->path);
	struct stat info;
	bool pending = wal && stat(wal, &info) == 0 && info.st_size > 0;

	free(wal);
	if (pending)
		return asc_err_set(e, ASC_IO,
				   "%s: cannot be read in a folder that cannot be written while "
				   "%s-wal holds results: copy both elsewhere",
				   d->path, d->path);
	d->immutable = true;
	return connect(d, SQLITE_OPEN_READONLY, IMMUTABLE, e);
}

/* On a full disk there is no room for the log's index either: it is kept in memory, which needs the
 * file alone, and the log is left as it is. */
static enum asc_status connect_alone(struct db *d, struct asc_err *e)
{
	if (connect(d, SQLITE_OPEN_READWRITE, "", e))
		return e->status;
	d->alone = true;
	sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return db_exec(d, "PRAGMA locking_mode=EXCLUSIVE", e);
}

/* Opened for writing where that is allowed, so that the last reader clears the log away as the last
 * writer would; query_only keeps it to reading. A report goes over the same pages many times: up to
 * 64 MB of them are kept, in place of SQLite's 2 MB. */
static enum asc_status open_for_reading(struct db *d, struct asc_err *e)
{
	bool current;

	if (access(d->path, F_OK) && errno == ENOENT)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no such database", d->path);
	enum asc_status status = connect(d, SQLITE_OPEN_READWRITE, "", e);

	if (status == ASC_OK)
		status = check_schema(d, &current, e);
	if (status == ASC_IO || status == ASC_FULL) {
		status = status == ASC_FULL ? connect_alone(d, e) : connect_immutable(d, e);
		if (status == ASC_OK)
			status = check_schema(d, &current, e);
	}
	if (status == ASC_OK && !current)
		return asc_err_set(e, ASC_NOTFOUND, "%s: an empty database", d->path);
	d->reads = status == ASC_OK;
	return status ? status : db_exec(d, "PRAGMA query_only=ON; " DB_READ_CACHE, e);
}

/* Opened as it lies there, without a lock: two machines may not share one over a network, and none
 * of those that read may leave a log's index beside the file. */
static enum asc_status open_still(struct db *d, struct asc_err *e)
{
	static const char *const logs[] = {"-wal", "-journal"};
	struct stat info;
	bool current;

	if (access(d->path, F_OK) && errno == ENOENT)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no such database", d->path);
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char *log = str_print("%s%s", d->path, logs[i]);

		if (!log)
			return asc_err_nomem(e);
		const bool pending = stat(log, &info) == 0 && info.st_size > 0;

		free(log);
		if (pending)
			return asc_err_set(e, ASC_BUSY,
					   "%s: results are in %s%s, and not in it yet: a process "
					   "records into it, or was killed; `%s merge` copies both",
					   d->path, d->path, logs[i], shell_program());
	}
	d->immutable = true;
	if (connect(d, SQLITE_OPEN_READONLY, IMMUTABLE, e) || check_schema(d, &current, e))
		return e->status;
	if (!current)
		return asc_err_set(e, ASC_NOTFOUND, "%s: an empty database", d->path);
	d->reads = true;
	return db_exec(d, "PRAGMA query_only=ON; " DB_READ_CACHE, e);
}

enum asc_status db_open(const char *path, enum db_mode mode, struct db **out, struct asc_err *e)
{
	struct db *d = new_db(path, e);

	if (!d)
		return e->status;
	enum asc_status status = check_files(d, e);

	if (mode == DB_GLANCE && d->busy_ms > GLANCE_MS)
		d->busy_ms = GLANCE_MS;
	if (!status && mode == DB_STILL)
		status = open_still(d, e);
	else if (!status)
		status = mode == DB_READ || mode == DB_GLANCE
				 ? open_for_reading(d, e)
				 : open_for_writing(d, mode == DB_WRITE_DURABLE, e);
	if (status == ASC_OK)
		*out = d;
	else
		db_close(d);
	return status;
}

enum asc_status db_attach(struct db *d, struct db *there, struct asc_err *e)
{
	char *uri = make_uri(there->path, there->immutable ? IMMUTABLE : "");
	struct statement s;

	disconnect(there); /* alone it would keep others out */
	if (!uri)
		return asc_err_nomem(e);
	/* A file that is attached begins with the mode of the connection; `d` itself does not use
	 * the mode meanwhile. */
	if (there->alone)
		sqlite3_exec(d->sql, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
	statement_begin(&s, d, "ATTACH :uri AS there");
	statement_set_text(&s, ":uri", uri);
	enum asc_status status = statement_run(&s, e);

	free(uri);
	if (status != ASC_OK)
		status = db_fail(there, s.code, e);
	else
		d->attached = there->path;
	if (there->alone)
		sqlite3_exec(d->sql, "PRAGMA locking_mode=NORMAL", NULL, NULL, NULL);
	return status;
}

/* Whoever read the file alone leaves its log as it is. */
void db_detach(struct db *d, const struct db *there)
{
	if (!d->attached)
		return;
	sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, there->alone, NULL);
	sqlite3_exec(d->sql, "DETACH there", NULL, NULL, NULL);
	sqlite3_db_config(d->sql, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	d->attached = NULL;
}

/* Empties the log unless another process uses the file; the last process to close it empties it
 * then. */
void db_close(struct db *d)
{
	if (!d)
		return;
	if (d->records) {
		sqlite3_busy_timeout(d->sql, 0);
		sqlite3_wal_checkpoint_v2(d->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	}
	disconnect(d);
	host_note_drop(&d->host);
	free(d->path);
	free(d->lost);
	free(d->cache);
	free(d->cached_of);
	free(d->implementation.name);
	free(d->implementation.key);
	free(d);
}
