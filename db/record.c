#include "db/db.h"

#include <string.h>

#include "db/connection.h"
#include "db/run_view.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"

static enum asc_status put_device(struct db *d, const struct db_device *v, bool simulated,
				  int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, sql_put_device);
	statement_set_text(&s, ":fingerprint", v->fingerprint);
	statement_set_text(&s, ":kind", v->kind);
	statement_set_text(&s, ":model", v->model);
	statement_set_text(&s, ":arch", v->arch);
	statement_set_text(&s, ":driver", v->driver);
	statement_set_text(&s, ":clock", v->clock);
	statement_set_text(&s, ":machine", v->machine && *v->machine ? v->machine : NULL);
	statement_set_int(&s, ":simulated", simulated);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status put_problem(struct db *d, const struct db_problem *v, bool simulated,
				   int64_t *id, struct asc_err *e)
{
	struct statement s;
	int64_t workload_id = 0;
	bool found;

	statement_begin(&s, d, sql_put_workload);
	statement_set_text(&s, ":name", v->workload);
	statement_set_text(&s, ":operator", v->operator_name);
	statement_set_text(&s, ":export_json", v->export_json);
	statement_set_int(&s, ":simulated", simulated);
	if (statement_run_int(&s, &workload_id, &found, e))
		return e->status;
	statement_begin(&s, d, sql_put_problem);
	statement_set_int(&s, ":workload_id", workload_id);
	statement_set_text(&s, ":key", v->problem_key);
	statement_set_text(&s, ":name", v->problem);
	statement_set_text(&s, ":dims_json", v->dims_json);
	statement_set_real(&s, ":flops", v->flops);
	statement_set_real(&s, ":bytes", v->bytes);
	statement_set_text(&s, ":element", v->element);
	statement_set_text(&s, ":kinds_json", v->kinds_json);
	statement_set_int(&s, ":simulated", simulated);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status add_run(struct db *d, int64_t device_id, int64_t problem_id,
			       const struct db_problem *problem, const struct db_run *v,
			       int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, sql_add_run);
	statement_set_int(&s, ":device_id", device_id);
	statement_set_int(&s, ":problem_id", problem_id);
	statement_set_text(&s, ":workload_hash", problem->workload_hash);
	statement_set_text(&s, ":version", v->version);
	statement_set_text(&s, ":strategy", v->strategy);
	statement_set_text(&s, ":policy_json", v->policy_json);
	statement_set_text(&s, ":budget", v->budget);
	statement_set_text(&s, ":cache_policy", v->cache_policy);
	statement_set_text(&s, ":baseline", v->baseline);
	statement_set_int(&s, ":seed", (int64_t)v->seed);
	statement_set_int(&s, ":simulated", v->simulated);
	statement_set_int(&s, ":imported", v->imported);
	statement_set_int(&s, ":now_ms", db_now_ms());
	statement_set_text(&s, ":workload_file", problem->workload_file);
	statement_set_text(&s, ":history_json", v->history_json);
	statement_set_text(&s, ":source_commit", v->source_commit);
	statement_set_int(&s, ":source_clean", v->source_clean);
	statement_set_int(&s, ":share_id", v->share_id);
	statement_set_blob(&s, ":uid", v->uid, v->uid ? strlen(v->uid) : 0);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status add_implementations(struct db *d, int64_t run_id, const struct db_run *v,
					   struct asc_err *e)
{
	for (size_t k = 0; k < v->n_implementations; k++) {
		const struct db_implementation *i = &v->implementations[k];
		struct statement s;
		int64_t id = 0;

		if (db_put_implementation(d, i, &id, e))
			return e->status;
		/* The row may be of a version that recorded less. */
		statement_begin(&s, d, sql_complete_implementation);
		statement_set_int(&s, ":id", id);
		statement_set_text(&s, ":toolchain", i->toolchain);
		statement_set_text(&s, ":options", i->options);
		statement_set_text(&s, ":sources", i->sources);
		statement_set_text(&s, ":source_digest", i->source_digest);
		if (statement_run(&s, e))
			return e->status;
		statement_begin(&s, d, sql_add_participant);
		statement_set_int(&s, ":run_id", run_id);
		statement_set_int(&s, ":implementation_id", id);
		if (statement_run(&s, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status db_begin_run(struct db *d, const struct db_device *device,
			     const struct db_problem *problem, const struct db_run *run,
			     int64_t *run_id, struct asc_err *e)
{
	int64_t device_id = 0, problem_id = 0;
	enum asc_status status = transaction_begin(d, e);

	if (status != ASC_OK)
		return status;
	/* Rows that others refer to first: foreign keys are checked with each statement. */
	status = put_device(d, device, run->simulated, &device_id, e);
	if (status == ASC_OK)
		status = put_problem(d, problem, run->simulated || run->aside, &problem_id, e);
	if (status == ASC_OK)
		status = add_run(d, device_id, problem_id, problem, run, run_id, e);
	if (status == ASC_OK)
		status = add_implementations(d, *run_id, run, e);
	return transaction_end(d, status, e);
}

enum asc_status db_find_run(struct db *d, const char *uid, bool *found, struct asc_err *e)
{
	struct statement s;
	int64_t id;

	statement_begin(&s, d, sql_find_run);
	statement_set_blob(&s, ":uid", uid, strlen(uid));
	return statement_run_int(&s, &id, found, e);
}

/* The index of configurations takes a row at any place: with few of its pages in memory each row
 * reads one and writes another. A transaction gives the room back at its end. */
enum asc_status db_begin_batch(struct db *d, struct asc_err *e)
{
	if (d->depth == 0 && db_exec(d, "PRAGMA cache_size=-24576", e))
		return e->status;
	return transaction_begin(d, e);
}

static void end_import(struct db *d)
{
	buf_fini(&d->aside);
	sqlite3_db_config(d->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
	(void)sqlite3_exec(d->sql, "PRAGMA foreign_keys=ON", NULL, NULL, NULL);
	d->imports = false;
}

/* Drops indexes of a table of trials that has none, and keeps their text: the index of
 * configurations, into which rows would go at all places, and those behind it, since their order
 * counts (db/schema.sql). */
static enum asc_status set_indexes_aside(struct db *d, struct asc_err *e)
{
	struct buf drops = {0};
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(
		&s, d,
		"SELECT 'DROP INDEX \"' || replace(name, '\"', '\"\"') || '\";', sql"
		" FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = 'trial'"
		" AND rowid >= (SELECT rowid FROM main.sqlite_schema WHERE name = 'trial_config')"
		" AND NOT EXISTS (SELECT 1 FROM trial) ORDER BY rowid");
	while (statement_next(&s, &status, e)) {
		buf_add_str(&drops, statement_take_text(&s));
		/* With the NUL: each is one statement, whatever stands behind it. */
		const char *sql = statement_take_text(&s);

		buf_add(&d->aside, sql, strlen(sql) + 1);
	}
	if (status == ASC_OK)
		status = buf_check(&drops, e);
	if (status == ASC_OK)
		status = buf_check(&d->aside, e);
	if (status == ASC_OK && d->aside.len > 0) {
		status = db_exec(d, buf_str(&drops), e);
		statement_forget(d);
	}
	buf_fini(&drops);
	return status;
}

static enum asc_status make_indexes(struct db *d, struct asc_err *e)
{
	const char *sql = buf_str(&d->aside), *end = sql + d->aside.len;
	/* Pages of the cache are written first: within a statement SQLite would write them twice.
	 * Rows are sorted in as much memory as the cache may have, beside it. */
	(void)sqlite3_db_cacheflush(d->sql); /* where it fails, so does what follows */
	enum asc_status status = db_exec(d, "PRAGMA cache_size=-8192", e);

	for (; sql < end && status == ASC_OK; sql += strlen(sql) + 1) {
		struct statement s;

		statement_prepare(&s, d, sql);
		status = statement_run(&s, e);
		statement_drop(&s);
	}
	statement_forget(d);
	return status;
}

/* Rows of an import refer to what it has just recorded, and mark no answer. */
enum asc_status db_begin_import(struct db *d, struct asc_err *e)
{
	if (db_exec(d, "PRAGMA foreign_keys=OFF", e))
		return e->status;
	sqlite3_db_config(d->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	d->imports = true;
	enum asc_status status = db_begin_batch(d, e);

	if (status != ASC_OK)
		end_import(d);
	else if (set_indexes_aside(d, e))
		status = db_end_batch(d, e->status, e);
	return status;
}

enum asc_status db_end_batch(struct db *d, enum asc_status status, struct asc_err *e)
{
	if (status == ASC_OK && d->aside.len > 0)
		status = make_indexes(d, e);
	if (status == ASC_OK)
		status = file_state_check(d, e);
	status = transaction_end(d, status, e);
	if (d->depth == 0)
		(void)sqlite3_exec(d->sql, DB_SMALL_CACHE, NULL, NULL, NULL);
	if (d->imports)
		end_import(d);
	return status;
}

/* Runs an update of a run, which has to be there. */
static enum asc_status update_run(struct statement *s, int64_t run_id, struct asc_err *e)
{
	statement_set_int(s, ":run_id", run_id);
	enum asc_status status = statement_run(s, e);

	/* An update of no row succeeds, too. */
	return status || sqlite3_changes(s->db->sql) ? status : db_fail_run(s->db, run_id, e);
}

enum asc_status db_set_steady(struct db *d, int64_t run_id, const char *json, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_set_steady);
	statement_set_text(&s, ":json", json);
	return update_run(&s, run_id, e);
}

enum asc_status db_set_patience(struct db *d, int64_t run_id, const char *json, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_set_patience);
	statement_set_text(&s, ":json", json);
	return update_run(&s, run_id, e);
}

enum asc_status db_set_input_seeds(struct db *d, int64_t run_id, const char *json,
				   struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_set_input_seeds);
	statement_set_text(&s, ":json", json);
	return update_run(&s, run_id, e);
}

enum asc_status db_set_finals_time(struct db *d, int64_t run_id, int64_t begin_ns, int64_t ns,
				   struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_set_finals_time);
	statement_set_int(&s, ":begin_ns", begin_ns);
	statement_set_int(&s, ":ns", ns);
	return update_run(&s, run_id, e);
}

enum asc_status db_end_run(struct db *d, int64_t run_id, const char *outcome, struct asc_err *e)
{
	struct statement s;

	/* The last chance to say that results went into a file that is not there any more. */
	if (file_state_check(d, e))
		return e->status;
	statement_begin(&s, d, sql_end_run);
	statement_set_text(&s, ":outcome", outcome);
	statement_set_int(&s, ":now_ms", db_now_ms());
	return update_run(&s, run_id, e);
}

/* ---- counts of a run's spaces: all configurations, and those that each condition removes ---- */

enum asc_status db_add_space(struct db *d, int64_t run_id, const struct db_implementation *i,
			     const struct db_space_count *list, size_t n, struct asc_err *e)
{
	int64_t implementation_id = 0;
	enum asc_status status = transaction_begin(d, e);

	if (status != ASC_OK)
		return status;
	status = db_put_implementation(d, i, &implementation_id, e);
	for (size_t k = 0; status == ASC_OK && k < n; k++) {
		struct statement s;

		statement_begin(&s, d, sql_add_space_count);
		statement_set_int(&s, ":run_id", run_id);
		statement_set_int(&s, ":implementation_id", implementation_id);
		statement_set_int(&s, ":place", (int64_t)k);
		statement_set_text(&s, ":kind", list[k].kind);
		statement_set_text(&s, ":origin", list[k].origin);
		statement_set_text(&s, ":text", list[k].text);
		statement_set_real(&s, ":configurations", list[k].configurations);
		status = statement_run(&s, e);
	}
	return transaction_end(d, status, e);
}

enum asc_status db_each_space_count(struct db *d, int64_t run_id, db_space_count_fn *visit,
				    void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_load_space_counts);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		struct db_space_count c;
		const char *implementation = statement_take_text(&s);

		statement_take_texts(&s, (const char **const[]){&c.kind, &c.origin, &c.text, NULL});
		c.configurations = statement_take_real(&s);
		status = visit(user, implementation, &c, e);
	}
	return status;
}
