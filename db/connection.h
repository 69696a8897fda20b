/* The open database as the files of db/ share it. Private to db/. */
#ifndef ASCTUNE_DB_CONNECTION_H
#define ASCTUNE_DB_CONNECTION_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/file_state.h"
#include "tuner/base/err.h"
#include "tuner/result/roofline.h"

struct db_field;
struct db_implementation;
struct statement;

enum { DB_MAX_PREPARED = 128 }; /* more than there are statements in the files of db/ */

/* The columns of a struct result, in the order in which they are bound and taken. */
#define DB_RESULT_COLUMNS                                                                          \
	"status, phase, reason, log, artifact, cached, build_ns, load_ns, verify_ns, measure_ns,"  \
	" launches, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns,"                  \
	" max_abs, mean_abs, max_rel, not_finite, bad,"                                            \
	" low_ns, high_ns, sample_order, retaken, notes, digest"

/* Table `machines` of a query: machines of one model are distinguished where several are known;
 * rows recorded before machines were known belong to the only one. */
#define DB_MACHINES                                                                                \
	" machines AS MATERIALIZED ("                                                              \
	" SELECT v.id AS device_id, iif(m.n > 1, v.machine, NULL) AS machine FROM device v"        \
	" JOIN (SELECT kind, model, count(DISTINCT machine) AS n FROM device"                      \
	"  GROUP BY kind, model) m ON m.kind = v.kind AND m.model IS v.model)"

/* Conditions on the status of a trial, to follow a column: its configuration passed; it failed. */
#define DB_PASSED " IN ('ok', 'slow', 'undecided')"
#define DB_FAILED                                                                                  \
	" IN ('build_failed', 'load_failed', 'launch_failed', 'crashed', 'timeout', 'wrong')"

/* Condition that run `r` is a search, and not of the configurations that `run --config` or
 * `--cover` asked for: histories and the newest run of a subject are of searches. */
#define DB_SEARCHED "coalesce(r.strategy NOT IN ('config', 'cover'), 1)"

/* Statuses of the configurations of a run, each once: one that failed after it had passed, beside
 * others or in the finals, has a trial more, which is the one that counts. */
#define DB_LAST_STATUSES(run)                                                                      \
	"(SELECT status, max(id) FROM trial WHERE run_id = " run                                   \
	" GROUP BY implementation_id, config_key)"

/* Metrics of trial `id` as JSON: {"PROBE.NAME": value, ...}; null for what is not finite. */
#define DB_METRICS_JSON(id)                                                                        \
	"(SELECT json_group_object(n.probe || '.' || n.name,"                                      \
	"  iif(abs(m.value) < 9e999, m.value, NULL)) FROM metric m"                                \
	" JOIN metric_name n ON n.id = m.name_id WHERE m.trial_id = " id ")"

/* Provenance of the result of trial `id`, as JSON: members of struct provenance
 * (result/provenance); null for those that were not recorded. */
#define DB_PROVENANCE_JSON(id)                                                                     \
	"(SELECT json_object('device_model', v.model, 'device_driver', v.driver,"                  \
	"  'device_arch', v.arch, 'device_fingerprint', v.fingerprint, 'toolchain', i.toolchain,"  \
	"  'version', r.version, 'workload_file', r.workload_file,"                                \
	"  'workload_hash', r.workload_hash, 'problem_key', p.key, 'implementation_key', i.key,"   \
	"  'artifact', t.artifact, 'digest', t.digest,"                                            \
	"  'options', iif(json_valid(i.options), json(i.options), NULL),"                          \
	"  'sources', iif(json_valid(i.sources), json(i.sources), NULL),"                          \
	"  'policy', iif(json_valid(r.policy_json), json(r.policy_json), NULL))"                   \
	" FROM trial t JOIN run r ON r.id = t.run_id JOIN device v ON v.id = r.device_id"          \
	" JOIN problem p ON p.id = r.problem_id"                                                   \
	" JOIN implementation i ON i.id = t.implementation_id WHERE t.id = " id ")"

struct db {
	sqlite3 *sql;
	char *path;            /* path as the user gave it, for messages */
	int busy_ms;           /* time that another process may hold the lock */
	bool records;          /* the file was opened for writing and found to be asctune's */
	bool immutable, alone; /* ways of reading where the log's index cannot be made (db.c) */
	const char *attached;  /* path of the file that is read beside this one, or NULL */
	struct file_state file;
	char *lost;        /* why the handle can no longer be used, or NULL */
	int64_t locked_ns; /* start of the wait for a lock that still lasts */
	int64_t said_ns;   /* time of the last message about that wait; 0: none */
	int64_t work;      /* steps of SQLite's machine in the statement that runs (bound_work) */
	struct {
		const char *text; /* compared by address */
		sqlite3_stmt *stmt;
	} prepared[DB_MAX_PREPARED];
	size_t n_prepared;
	int depth;               /* nested transactions: the outermost one is SQLite's */
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

/* Finds or makes the row; *id is its identifier. */
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
