/* The open database as the files of db/ share it; nobody else includes this. */
#ifndef ASCTUNE_DB_CONNECTION_H
#define ASCTUNE_DB_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/file_state.h"
#include "tuner/base/err.h"

struct db_field;
struct db_implementation;
struct statement;

enum { DB_MAX_PREPARED = 96 }; /* more than there are statements in the files of db/ */

/* The columns of a struct result, in the order in which they are bound and taken. */
#define DB_RESULT_COLUMNS                                                                          \
	"status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns,"  \
	" launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns,"                  \
	" max_abs, mean_abs, max_rel, not_finite, bad,"                                            \
	" low_ns, high_ns, sample_order, retaken, notes"

/* Devices of one model are told apart where several are known; what was recorded before machines
 * were known belongs to the only one. */
#define DB_MACHINES                                                                                \
	" machines AS MATERIALIZED ("                                                              \
	" SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine FROM device v"        \
	" JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device"                      \
	"  GROUP BY kind, model) m ON m.kind = v.kind AND m.model IS v.model)"

/* What a trial's status says of its configuration: behind a column. */
#define DB_PASSED " IN ('ok', 'slow', 'undecided')"
#define DB_FAILED                                                                                  \
	" IN ('build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong')"

/* Is run `r` a search, and not the one configuration that `run --config` asked for? Histories and
 * what is newest are of searches. */
#define DB_SEARCHED "r.strategy IS NOT 'config'"

/* The peak of the device for what the problem computes in, and the bandwidth of its memory; 0: not
 * known. `device` and `problem` are identifiers. */
#define DB_PEAK_FLOPS(device, problem)                                                             \
	"coalesce((SELECT k.rate FROM peak k JOIN problem q ON q.element = k.type"                 \
	"  WHERE q.id = " problem " AND k.device_id = " device " AND k.unit = 'FLOP/s'), 0)"
#define DB_PEAK_BANDWIDTH(device)                                                                  \
	"coalesce((SELECT k.rate FROM peak k"                                                      \
	"  WHERE k.device_id = " device " AND k.unit = 'B/s'), 0)"

struct db {
	sqlite3 *sql;
	char *path;   /* as the user gave it, for messages */
	int busy_ms;  /* how long another process may hold the lock */
	bool records; /* opened for writing and found to be ours */
	struct file_state file;
	char *lost;        /* why the handle can no longer be used, or NULL */
	int64_t locked_ns; /* when the wait for a lock that goes on began */
	int64_t said_ns;   /* when that was said, 0: not yet */
	struct {
		const char *text; /* told apart by address */
		sqlite3_stmt *stmt;
	} prepared[DB_MAX_PREPARED];
	size_t n_prepared;
	int depth; /* of transactions: the outermost one is SQLite's */
};

/* What SQLite's result code `code`, just returned by d->sql, means to the user. errno must have
 * been 0 before that call. */
enum asc_status db_fail(const struct db *d, int code, struct asc_err *e);

enum asc_status db_fail_run(const struct db *d, int64_t run_id, struct asc_err *e); /* no such */

/* Runs SQL that gives no rows and is not worth keeping. */
enum asc_status db_exec(struct db *d, const char *sql, struct asc_err *e);

/* The identifier of its row, which is made when there is none. */
enum asc_status db_put_implementation(struct db *d, const struct db_implementation *i, int64_t *id,
				      struct asc_err *e);

int64_t db_now_ms(void); /* since 1970 */
int64_t db_config_hash(const char *config_key);

/* Takes the next column into the member of `row` that the field names. */
void db_take_field(struct statement *s, const struct db_field *f, void *row);

/* Takes the write lock at once, so that waiting for it is SQLite's busy handler's affair. */
enum asc_status transaction_begin(struct db *d, struct asc_err *e);

/* Commits when `status` is ASC_OK and that succeeds, else rolls back; returns the first failure.
 * Within another transaction that is left to the outer one. */
enum asc_status transaction_end(struct db *d, enum asc_status status, struct asc_err *e);

#endif
