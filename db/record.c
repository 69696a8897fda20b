#include "db/db.h"

#include <string.h>

#include "db/connection.h"
#include "db/statement.h"

/* The rows that runs share say what the newest run on this machine said. One that was not measured
 * here changes nothing of them, but something has to be set for the id to be returned. */

static enum asc_status put_device(struct db *d, const struct db_device *v, bool simulated,
				  int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(
		&s, d,
		simulated ? "INSERT INTO device(fingerprint, kind, model, arch, driver, clock, "
			    "machine)"
			    " VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(fingerprint) DO UPDATE SET"
			    " kind = kind RETURNING id"
			  : "INSERT INTO device(fingerprint, kind, model, arch, driver, clock, "
			    "machine)"
			    " VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(fingerprint) DO UPDATE SET"
			    " kind = excluded.kind, model = excluded.model, arch = excluded.arch,"
			    " driver = excluded.driver, clock = excluded.clock,"
			    " machine = excluded.machine RETURNING id");
	statement_bind_text(&s, v->fingerprint);
	statement_bind_text(&s, v->kind);
	statement_bind_text(&s, v->model);
	statement_bind_text(&s, v->arch);
	statement_bind_text(&s, v->driver);
	statement_bind_text(&s, v->clock);
	statement_bind_text(&s, v->machine && *v->machine ? v->machine : NULL);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status put_workload(struct db *d, const struct db_problem *v, bool simulated,
				    int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(
		&s, d,
		simulated ? "INSERT INTO workload(name, operator, export_json) VALUES(?, ?, ?)"
			    " ON CONFLICT(name) DO UPDATE SET name = name RETURNING id"
			  : "INSERT INTO workload(name, operator, export_json) VALUES(?, ?, ?)"
			    " ON CONFLICT(name) DO UPDATE SET operator = excluded.operator,"
			    " export_json = excluded.export_json RETURNING id");
	statement_bind_text(&s, v->workload);
	statement_bind_text(&s, v->operator_name);
	statement_bind_text(&s, v->export_json);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status put_problem(struct db *d, const struct db_problem *v, bool simulated,
				   int64_t *id, struct asc_err *e)
{
	struct statement s;
	int64_t workload_id = 0;
	bool found;
	enum asc_status status = put_workload(d, v, simulated, &workload_id, e);

	if (status != ASC_OK)
		return status;
	statement_begin(
		&s, d,
		simulated ? "INSERT INTO problem(workload_id, key, name, dims_json, flops, bytes,"
			    " element, kinds_json) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
			    " ON CONFLICT(workload_id, name, key)"
			    " DO UPDATE SET key = key RETURNING id"
			  : "INSERT INTO problem(workload_id, key, name, dims_json, flops, bytes,"
			    " element, kinds_json) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
			    " ON CONFLICT(workload_id, name, key)"
			    " DO UPDATE SET dims_json = excluded.dims_json,"
			    " flops = excluded.flops, bytes = excluded.bytes,"
			    " element = excluded.element, kinds_json = excluded.kinds_json"
			    " RETURNING id");
	statement_bind_int(&s, workload_id);
	statement_bind_text(&s, v->problem_key);
	statement_bind_text(&s, v->problem);
	statement_bind_text(&s, v->dims_json);
	statement_bind_real(&s, v->flops);
	statement_bind_real(&s, v->bytes);
	statement_bind_text(&s, v->element);
	statement_bind_text(&s, v->kinds_json);
	return statement_run_int(&s, id, &found, e);
}

static enum asc_status add_run(struct db *d, int64_t device_id, int64_t problem_id,
			       const struct db_problem *problem, const struct db_run *v,
			       int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d,
			"INSERT INTO run(device_id, problem_id, workload_hash, version, strategy,"
			" policy_json, budget, cache_policy, baseline, seed, simulated, imported,"
			" started_ms, workload_file, history_json, source_commit, source_clean,"
			" uid) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
			" iif(?12, ?13, max(?13, " DB_NEWEST_MS " + 1)), ?, ?,"
			" ?16, iif(?16 IS NULL, NULL, ?),"
			" coalesce(?, randomblob(16))) RETURNING id");
	statement_bind_int(&s, device_id);
	statement_bind_int(&s, problem_id);
	statement_bind_text(&s, problem->workload_hash);
	statement_bind_text(&s, v->version);
	statement_bind_text(&s, v->strategy);
	statement_bind_text(&s, v->policy_json);
	statement_bind_text(&s, v->budget);
	statement_bind_text(&s, v->cache_policy);
	statement_bind_text(&s, v->baseline);
	statement_bind_int(&s, (int64_t)v->seed);
	statement_bind_int(&s, v->simulated);
	statement_bind_int(&s, v->imported);
	statement_bind_int(&s, db_now_ms());
	statement_bind_text(&s, problem->workload_file);
	statement_bind_text(&s, v->history_json);
	statement_bind_text(&s, v->source_commit);
	statement_bind_int(&s, v->source_clean);
	statement_bind_blob(&s, v->uid, v->uid ? strlen(v->uid) : 0);
	return statement_run_int(&s, id, &found, e);
}

/* Adds what an earlier version did not record to a row of the same key, which covers it. */
static enum asc_status complete(struct db *d, int64_t id, const struct db_implementation *i,
				struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"UPDATE implementation SET toolchain = coalesce(toolchain, ?2),"
			" options = coalesce(options, ?3), sources = coalesce(sources, ?4),"
			" source_digest = ?5 WHERE id = ?1 AND source_digest IS NULL");
	statement_bind_int(&s, id);
	statement_bind_text(&s, i->toolchain);
	statement_bind_text(&s, i->options);
	statement_bind_text(&s, i->sources);
	statement_bind_text(&s, i->source_digest);
	return statement_run(&s, e);
}

static enum asc_status add_implementations(struct db *d, int64_t run_id, const struct db_run *v,
					   struct asc_err *e)
{
	for (size_t i = 0; i < v->n_implementations; i++) {
		struct statement s;
		int64_t id = 0;

		if (db_put_implementation(d, &v->implementations[i], &id, e))
			return e->status;
		if (complete(d, id, &v->implementations[i], e))
			return e->status;
		statement_begin(
			&s, d,
			"INSERT INTO run_implementation(run_id, implementation_id) VALUES(?, ?)");
		statement_bind_int(&s, run_id);
		statement_bind_int(&s, id);
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
	status = put_device(d, device, run->simulated, &device_id, e);
	if (status == ASC_OK)
		status = put_problem(d, problem, run->simulated, &problem_id, e);
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

	statement_begin(&s, d, "SELECT id FROM run WHERE uid = ?");
	statement_bind_blob(&s, uid, strlen(uid));
	return statement_run_int(&s, &id, found, e);
}

enum asc_status db_begin_batch(struct db *d, struct asc_err *e)
{
	return transaction_begin(d, e);
}

enum asc_status db_end_batch(struct db *d, enum asc_status status, struct asc_err *e)
{
	return transaction_end(d, status, e);
}

/* Runs an update of one text of a run. */
static enum asc_status set_text(struct db *d, const char *sql, int64_t run_id, const char *json,
				struct asc_err *e)
{
	struct statement s;
	enum asc_status status;

	statement_begin(&s, d, sql);
	statement_bind_text(&s, json);
	statement_bind_int(&s, run_id);
	status = statement_run(&s, e);
	return status || sqlite3_changes(d->sql) ? status : db_fail_run(d, run_id, e);
}

enum asc_status db_set_steady(struct db *d, int64_t run_id, const char *json, struct asc_err *e)
{
	return set_text(d, "UPDATE run SET steady_json = ? WHERE id = ?", run_id, json, e);
}

enum asc_status db_set_patience(struct db *d, int64_t run_id, const char *json, struct asc_err *e)
{
	return set_text(d, "UPDATE run SET patience_json = ? WHERE id = ?", run_id, json, e);
}

enum asc_status db_set_finals_time(struct db *d, int64_t run_id, int64_t begin_ns, int64_t ns,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status;

	statement_begin(&s, d, "UPDATE run SET finals_begin_ns = ?, finals_ns = ? WHERE id = ?");
	statement_bind_int(&s, begin_ns);
	statement_bind_int(&s, ns);
	statement_bind_int(&s, run_id);
	status = statement_run(&s, e);
	return status || sqlite3_changes(d->sql) ? status : db_fail_run(d, run_id, e);
}

enum asc_status db_end_run(struct db *d, int64_t run_id, const char *outcome, struct asc_err *e)
{
	struct statement s;
	enum asc_status status;

	if (file_state_check(d, e))
		return e->status;
	statement_begin(&s, d,
			"UPDATE run SET outcome = ?1,"
			" ended_ms = iif(imported, ?2, max(?2, " DB_NEWEST_MS ")) WHERE id = ?3");
	statement_bind_text(&s, outcome);
	statement_bind_int(&s, db_now_ms());
	statement_bind_int(&s, run_id);
	status = statement_run(&s, e);
	return status || sqlite3_changes(d->sql) ? status : db_fail_run(d, run_id, e);
}
