#include "db/statement.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/db.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/result/result.h"

/* ---- failures ---- */

static const struct {
	int code;
	enum asc_status status;
	const char *text;
} failures[] = {
	{SQLITE_NOMEM, ASC_NOMEM, "out of memory"},
	{SQLITE_FULL, ASC_FULL, "no space left on its disk"},
	{SQLITE_READONLY, ASC_IO, "cannot be written"},
	{SQLITE_PERM, ASC_IO, "cannot be accessed"},
	{SQLITE_CANTOPEN, ASC_IO, "cannot be opened"},
	{SQLITE_IOERR, ASC_IO, "cannot be read or written"},
	{SQLITE_NOTADB, ASC_INPUT, "not a database"},
	{SQLITE_CORRUPT, ASC_INPUT, "not a database, or a damaged one"},
	/* Only bound_work() interrupts. */
	{SQLITE_INTERRUPT, ASC_INPUT,
	 "a damaged database, or changed by another program: reading it does not end"},
	{SQLITE_TOOBIG, ASC_LIMIT, "a text is too long for it"},
	/* SQLite's own words name tables and columns. */
	{SQLITE_ERROR, ASC_INPUT,
	 "a damaged database, or changed by another program: its tables are not asctune's"},
	{SQLITE_CONSTRAINT, ASC_INPUT,
	 "a damaged database, or changed by another program: its rows do not fit together"},
};

/* True where no file can be made: SQLite then looks for one, and says that there is none. */
static bool lacks_inodes(const char *path)
{
	char *folder = path_folder(path);
	struct statvfs disk;
	bool lacks = folder && statvfs(folder, &disk) == 0 && disk.f_files > 0 && !disk.f_favail;

	free(folder);
	return lacks;
}

static bool is_full(const char *folder)
{
	struct statvfs disk;

	return statvfs(folder, &disk) == 0 && disk.f_blocks > 0 && disk.f_bavail == 0;
}

/* Folder of the temporary files that could not be written, where they are what failed; else NULL.
 * A database that is only read writes nothing else but the log's index, whose failures have other
 * codes. */
static const char *find_temporary(const struct db *d, int code)
{
	/* As SQLite looks for it (unixTempFileDir). */
	const char *const folders[] = {getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp",
				       "/usr/tmp", "/tmp"};
	const char *temporary = NULL;

	for (size_t i = 0; i < sizeof folders / sizeof *folders && !temporary; i++)
		if (folders[i] && access(folders[i], W_OK | X_OK) == 0)
			temporary = folders[i];
	if (!temporary || (code != SQLITE_FULL && code != SQLITE_IOERR_WRITE))
		return NULL;
	char *own = path_folder(d->path);
	const bool is_own = !d->reads && !(own && is_full(temporary) && !is_full(own));

	free(own);
	return is_own ? NULL : temporary;
}

static const volatile sig_atomic_t *stop_asked; /* NULL: waits for locks are limited */

void db_wait_until(const volatile sig_atomic_t *stop)
{
	stop_asked = stop;
}

bool db_is_stopped(void)
{
	return stop_asked && *stop_asked;
}

bool db_waits_on(void)
{
	return stop_asked && !*stop_asked;
}

bool db_lock_failed(int error)
{
	return error == EIO || error == ENOLCK || error == ENOSYS;
}

enum asc_status db_fail(const struct db *d, int code, struct asc_err *e)
{
	int reason = errno, primary = code & 0xff;

	/* SQLite keeps the errno of its own call; between that and here others may have set it. */
	if (d->sql && sqlite3_system_errno(d->sql))
		reason = sqlite3_system_errno(d->sql);
	if (primary == SQLITE_IOERR && (reason == ENOSPC || reason == EDQUOT))
		primary = SQLITE_FULL;
	const bool limited = primary == SQLITE_IOERR && reason == EFBIG;
	const char *temporary = primary == SQLITE_FULL || limited ? find_temporary(d, code) : NULL;

	if (temporary)
		return asc_err_set(e, ASC_FULL, "%s: no temporary file can be written in %s: %s",
				   d->path, temporary, strerror(limited ? EFBIG : ENOSPC));
	/* A limit on the size of files: its disk may have room. */
	if (limited)
		return asc_err_set(e, ASC_FULL, "%s: cannot be written: %s", d->path,
				   strerror(EFBIG));
	if (primary == SQLITE_CANTOPEN && reason == ENOENT && lacks_inodes(d->path))
		primary = SQLITE_FULL;
	/* SQLite gives the damage of a disk for a damaged database. */
	if (primary == SQLITE_CORRUPT && reason == EIO)
		primary = SQLITE_IOERR;
	/* A file that cannot be made is then looked for, and not found. */
	if (primary == SQLITE_CANTOPEN && reason == ENOENT)
		return asc_err_set(e, ASC_IO, "%s: cannot be opened, or no file made beside it",
				   d->path);
	bool with_reason = reason && (primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR);

	log_print(LOG_DEBUG, "%s: %s", d->path,
		  d->sql ? sqlite3_errmsg(d->sql) : sqlite3_errstr(code));
	/* PROTOCOL: too many processes at once want the log's index. */
	bool busy =
		primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;

	if (busy && db_lock_failed(reason))
		return asc_err_set(e, ASC_IO, "%s: cannot be locked: %s", d->path,
				   strerror(reason));
	if (busy && db_is_stopped())
		return asc_err_set(e, ASC_INTERRUPTED,
				   "%s: interrupted while another process had it locked", d->path);
	if (busy)
		return asc_err_set(e, ASC_BUSY, "%s: locked by another process for more than %g s",
				   d->path, d->busy_ms / 1000.0);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == primary)
			return asc_err_set(e, failures[i].status, "%s: %s%s%s", d->path,
					   failures[i].text, with_reason ? ": " : "",
					   with_reason ? strerror(reason) : "");
	return asc_err_set(e, ASC_IO, "%s: %s", d->path,
			   d->sql ? sqlite3_errmsg(d->sql) : sqlite3_errstr(code));
}

enum asc_status db_fail_run(const struct db *d, int64_t run_id, struct asc_err *e)
{
	return asc_err_set(e, ASC_NOTFOUND, "%s: no run %" PRId64, d->path, run_id);
}

enum asc_status db_exec(struct db *d, const char *sql, struct asc_err *e)
{
	errno = 0;
	d->work = 0;
	int code = sqlite3_exec(d->sql, sql, NULL, NULL, NULL);

	return code ? db_fail(d, code, e) : ASC_OK;
}

int64_t db_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- transactions ---- */

enum asc_status transaction_begin(struct db *d, struct asc_err *e)
{
	struct statement s;

	/* SQLite's transactions do not nest: the outermost one commits for all. */
	if (d->depth > 0) {
		d->depth++;
		return ASC_OK;
	}
	if (file_state_check(d, e))
		return e->status;
	/* A transaction that reads first and then writes would be turned away without waiting. */
	statement_begin(&s, d, "BEGIN IMMEDIATE");
	enum asc_status status = statement_run(&s, e);

	d->depth = status == ASC_OK;
	return status;
}

enum asc_status transaction_end(struct db *d, enum asc_status status, struct asc_err *e)
{
	struct statement s;

	assert(d->depth > 0);
	if (--d->depth > 0)
		return status;
	d->implementation.id = 0; /* others may remove it now, and a rollback does */
	if (status == ASC_OK) {
		statement_begin(&s, d, "COMMIT");
		status = statement_run(&s, e);
	}
	/* Some failures have rolled back already; undoing leaves `e` as it is. */
	if (status != ASC_OK && !sqlite3_get_autocommit(d->sql))
		sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* ---- statements ---- */

/* Lists the names of a statement's parameters, which SQLite walks through for each question. They
 * live as long as the statement. */
static const char **list_parameters(sqlite3_stmt *stmt)
{
	const int n = sqlite3_bind_parameter_count(stmt);
	const char **names = n > 0 ? malloc((size_t)n * sizeof *names) : NULL;

	for (int i = 0; names && i < n; i++)
		names[i] = sqlite3_bind_parameter_name(stmt, i + 1);
	return names;
}

void statement_begin(struct statement *s, struct db *d, const char *sql)
{
	size_t i = 0;

	*s = (struct statement){.db = d};
	/* By address: a search over a few dozen pointers costs less than a hash of the text. */
	while (i < d->n_prepared && d->prepared[i].text != sql)
		i++;
	assert(i < DB_MAX_PREPARED);
	if (i == d->n_prepared) {
		sqlite3_stmt *stmt = NULL;

		errno = 0;
		s->code =
			sqlite3_prepare_v3(d->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
		if (s->code != SQLITE_OK)
			return;
		d->prepared[i].text = sql;
		d->prepared[i].stmt = stmt;
		d->prepared[i].parameters = list_parameters(stmt);
		d->n_prepared++;
	}
	s->stmt = d->prepared[i].stmt;
	s->parameters = d->prepared[i].parameters;
	s->n_parameters = sqlite3_bind_parameter_count(s->stmt);
	assert(!sqlite3_stmt_busy(s->stmt));
}

void statement_forget(struct db *d)
{
	for (size_t i = 0; i < d->n_prepared; i++) {
		sqlite3_finalize(d->prepared[i].stmt);
		free(d->prepared[i].parameters);
	}
	d->n_prepared = 0;
}

void statement_prepare(struct statement *s, struct db *d, const char *sql)
{
	*s = (struct statement){.db = d};
	errno = 0;
	s->code = sqlite3_prepare_v2(d->sql, sql, -1, &s->stmt, NULL);
	s->n_parameters = sqlite3_bind_parameter_count(s->stmt);
}

void statement_drop(struct statement *s)
{
	sqlite3_finalize(s->stmt);
	s->stmt = NULL;
}

static void note(struct statement *s, int code)
{
	if (s->code == SQLITE_OK)
		s->code = code;
}

/* Number of the parameter; 0 where the statement could not be prepared. */
static int find_parameter(struct statement *s, const char *name)
{
	int number = s->bound + 1;
	const char *next = !s->parameters ? sqlite3_bind_parameter_name(s->stmt, number)
			   : number <= s->n_parameters ? s->parameters[s->bound]
						       : NULL;

	/* Mostly they are set in the order of the text: a search compares all names before. The
	 * name is the same text each time, too, once it is in the list. */
	if (next != name && (!next || strcmp(next, name) != 0))
		number = sqlite3_bind_parameter_index(s->stmt, name);
	else if (s->parameters)
		s->parameters[s->bound] = name;
	assert(number > 0 || !s->stmt);
	s->bound++;
	return number;
}

void statement_set_int(struct statement *s, const char *name, int64_t i)
{
	note(s, sqlite3_bind_int64(s->stmt, find_parameter(s, name), i));
}

void statement_set_real(struct statement *s, const char *name, double r)
{
	if (isnan(r))
		statement_set_null(s, name);
	else
		note(s, sqlite3_bind_double(s->stmt, find_parameter(s, name), r));
}

void statement_set_text(struct statement *s, const char *name, const char *text)
{
	statement_set_chars(s, name, text, text ? strlen(text) : 0);
}

void statement_set_chars(struct statement *s, const char *name, const char *text, size_t n)
{
	if (!text)
		statement_set_null(s, name);
	else
		note(s, sqlite3_bind_text64(s->stmt, find_parameter(s, name), text, n,
					    SQLITE_STATIC, SQLITE_UTF8));
}

void statement_set_blob(struct statement *s, const char *name, const void *data, size_t bytes)
{
	note(s, sqlite3_bind_blob64(s->stmt, find_parameter(s, name), data, bytes, SQLITE_STATIC));
}

/* Sets nothing: a parameter is NULL until it is set, since statement_end() clears all. */
void statement_set_null(struct statement *s, const char *name)
{
	(void)find_parameter(s, name);
}

enum asc_status statement_step(struct statement *s, bool *row, struct asc_err *e)
{
	*row = false;
	if (s->db->lost)
		return asc_err_set(e, ASC_IO, "%s", s->db->lost);
	/* A parameter that nobody set would be NULL, and no row would be found. */
	assert(!s->stmt || s->bound == s->n_parameters);
	if (s->code == SQLITE_OK)
		errno = 0; /* SQLite forgets the reason of a failed COMMIT */
	/* Kept for each statement: between its rows others run. */
	s->db->work = s->work;
	int code = s->code ? s->code : sqlite3_step(s->stmt);

	s->work = s->db->work;
	s->taken = 0;
	*row = code == SQLITE_ROW;
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return ASC_OK;
	s->code = code;
	return db_fail(s->db, code, e);
}

bool statement_next(struct statement *s, enum asc_status *status, struct asc_err *e)
{
	bool row = false;

	if (*status == ASC_OK)
		*status = statement_step(s, &row, e);
	if (*status != ASC_OK || !row)
		statement_end(s);
	return *status == ASC_OK && row;
}

int64_t statement_take_int(struct statement *s)
{
	return sqlite3_column_int64(s->stmt, s->taken++);
}

double statement_take_real(struct statement *s)
{
	bool null = statement_next_is_null(s);
	double r = sqlite3_column_double(s->stmt, s->taken++);

	return null ? NAN : r;
}

const char *statement_take_text(struct statement *s)
{
	return (const char *)sqlite3_column_text(s->stmt, s->taken++);
}

void statement_take_texts(struct statement *s, const char **const *members)
{
	for (; *members; members++)
		**members = statement_take_text(s);
}

const void *statement_take_blob(struct statement *s, size_t *bytes)
{
	const void *data = sqlite3_column_blob(s->stmt, s->taken);

	*bytes = (size_t)sqlite3_column_bytes(s->stmt, s->taken++);
	return data;
}

bool statement_next_is_null(const struct statement *s)
{
	return sqlite3_column_type(s->stmt, s->taken) == SQLITE_NULL;
}

void statement_end(struct statement *s)
{
	if (!s->stmt)
		return;
	/* Bound texts are the caller's: after this they may be freed. */
	sqlite3_reset(s->stmt);
	sqlite3_clear_bindings(s->stmt);
	s->bound = 0;
	s->work = 0;
}

enum asc_status statement_run(struct statement *s, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (statement_next(s, &status, e))
		;
	return status;
}

enum asc_status statement_run_int(struct statement *s, int64_t *out, bool *found, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*found = statement_next(s, &status, e);
	if (!*found)
		return status;
	*out = statement_take_int(s);
	/* A statement with RETURNING is done only after its last row. */
	return statement_run(s, e);
}

void statement_take_bits(struct statement *s, struct result_bits *out)
{
	const char *digest = statement_take_text(s);

	/* A digest of a newer version that does not fit is as good as none. */
	*out = (struct result_bits){0};
	if (digest && strlen(digest) < sizeof out->digest)
		memcpy(out->digest, digest, strlen(digest) + 1);
	out->compared = statement_take_int(s);
	out->varied = statement_take_int(s);
	out->varied_abs = statement_take_real(s);
	out->sets = statement_take_int(s);
	out->places = statement_take_int(s);
}
