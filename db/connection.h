/* The open database as the files of db/ share it. Private to db/. */
#ifndef ASCTUNE_DB_CONNECTION_H
#define ASCTUNE_DB_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/file_state.h"
#include "db/host_note.h"
#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/result/roofline.h"

struct db_field;
struct db_implementation;
struct metric;
struct statement;

/* Pages of a database that is recorded to, by one trial after the other. */
#define DB_SMALL_CACHE "PRAGMA cache_size=-512"
/* Pages of a database that is asked: an index of a million trials fits, twice over. */
#define DB_READ_CACHE "PRAGMA cache_size=-40960"

enum { DB_MAX_PREPARED = 160 }; /* more than there are statements in the files of db/ */

struct db {
	sqlite3 *sql;
	char *path;            /* path as the user gave it, for messages */
	int busy_ms;           /* time that another process may hold the lock */
	bool records;          /* the file was opened for writing and found to be asctune's */
	bool reads;            /* the file is only asked: nothing is written but temporary files */
	bool immutable, alone; /* ways of reading where the log's index cannot be made (db.c) */
	const char *attached;  /* path of the file that is read beside this one, or NULL */
	struct file_state file;
	struct host_note host; /* of a database that is recorded to */
	char *lost;            /* why the handle can no longer be used, or NULL */
	int emptied_at;        /* pages in the log when this process last emptied it */
	int64_t locked_ns;     /* start of the wait for a lock that still lasts */
	int64_t said_ns;       /* time of the last message about that wait; 0: none */
	int64_t work; /* steps of SQLite's machine in the statement that runs (bound_work) */
	struct {
		const char *text; /* compared by address */
		sqlite3_stmt *stmt;
		const char **parameters; /* names in their order; NULL: none, or no memory */
	} prepared[DB_MAX_PREPARED];
	size_t n_prepared;
	int depth;        /* nested transactions: the outermost one is SQLite's */
	bool imports;     /* db_begin_import() */
	struct buf aside; /* statements that make the indexes it has dropped, each with its NUL */
	struct {          /* the last one that was asked for */
		char *name, *key;
		int64_t index, id; /* id 0: not asked for in this transaction */
	} implementation;
	char *cache, *cached_of; /* folder of db_use_peaks(); device whose peaks are in `cached` */
	struct peaks cached;
};

/* True for an errno of a lock that the file system cannot give: no other process has it, as SQLite
 * says in all cases. */
bool db_lock_failed(int error);

/* True when the flag of db_wait_until() is set. */
bool db_is_stopped(void);

/* True while waits for locks have no limit: db_wait_until() has a flag, and that is not set. */
bool db_waits_on(void);

/* Sets `e` to the meaning of SQLite's result code `code`, which d->sql has just returned. errno
 * must have been 0 before that call. */
enum asc_status db_fail(const struct db *d, int code, struct asc_err *e);

/* Sets `e` to ASC_NOTFOUND with the number of the run. */
enum asc_status db_fail_run(const struct db *d, int64_t run_id, struct asc_err *e);

/* Runs SQL that gives no rows and is not worth keeping. */
enum asc_status db_exec(struct db *d, const char *sql, struct asc_err *e);

/* Makes the file of a reader part of the connection `d`, under the name `there`, in the way in
 * which `there` was opened; the reader is left with its path alone. Within a transaction that file
 * is not locked. */
enum asc_status db_attach(struct db *d, struct db *there, struct asc_err *e);
void db_detach(struct db *d, const struct db *there);

/* Find or make a row; *id is its identifier. Of a metric that of its name. */
enum asc_status db_put_metric_name(struct db *d, const struct metric *m, int64_t *id,
				   struct asc_err *e);
enum asc_status db_put_implementation(struct db *d, const struct db_implementation *i, int64_t *id,
				      struct asc_err *e);

int64_t db_now_ms(void); /* current time, ms since 1970 */
int64_t db_config_hash(const char *config_key);

/* Takes the next column into the member of `row` that the field names. */
void db_take_field(struct statement *s, const struct db_field *f, void *row);

/* Begins a transaction with the write lock, so that SQLite's busy handler waits for it. */
enum asc_status transaction_begin(struct db *d, struct asc_err *e);

/* Ends the transaction: commits when `status` is ASC_OK, else rolls back; returns the first
 * failure. Inside another transaction that one commits or rolls back. */
enum asc_status transaction_end(struct db *d, enum asc_status status, struct asc_err *e);

#endif
