#include "db/overview.h"

#include "db/connection.h"
#include "db/statement.h"

enum asc_status db_find_overview(struct db *d, struct db_overview *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_overview){0};
	statement_begin(&s, d,
			"SELECT r.n, t.n, t.ok, r.imported, r.standin, r.first, r.last FROM"
			" (SELECT count(*) FILTER (WHERE NOT simulated) AS n,"
			"   count(*) FILTER (WHERE imported) AS imported,"
			"   count(*) FILTER (WHERE simulated AND NOT imported) AS standin,"
			"   min(started_ms) FILTER (WHERE NOT simulated) AS first,"
			"   max(started_ms) FILTER (WHERE NOT simulated) AS last FROM run) r,"
			" (SELECT count(*) AS n, sum(status = 'ok') AS ok FROM trial"
			"   WHERE run_id NOT IN (SELECT id FROM run WHERE simulated)) t");
	if (statement_next(&s, &status, e)) {
		out->runs = statement_take_int(&s);
		out->trials = statement_take_int(&s);
		out->ok_trials = statement_take_int(&s);
		out->imported_runs = statement_take_int(&s);
		out->standin_runs = statement_take_int(&s);
		out->first_ms = statement_take_int(&s);
		out->last_ms = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_each_environment(struct db *d, db_environment_fn *visit, void *user,
				    struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT v.kind, v.model, v.arch, v.driver, v.clock, v.fingerprint,"
			"  r.version, r.n, r.first, r.last FROM"
			" (SELECT device_id, version, count(*) AS n, min(started_ms) AS first,"
			"   max(started_ms) AS last, max(id) AS id FROM run WHERE NOT simulated"
			"   GROUP BY device_id, version) r"
			" JOIN device v ON v.id = r.device_id ORDER BY r.last DESC, r.id DESC");
	while (statement_next(&s, &status, e)) {
		struct db_environment v;

		statement_take_texts(&s, (const char **const[]){&v.device_kind, &v.device_model,
								&v.arch, &v.driver, &v.clock,
								&v.fingerprint, &v.version, NULL});
		v.runs = statement_take_int(&s);
		v.first_ms = statement_take_int(&s);
		v.last_ms = statement_take_int(&s);
		status = visit(user, &v, e);
	}
	return status;
}

/* Implementations without a result, found by numbers first, then by names for the rest. With one
 * max(), SQLite takes the other columns from the row that has it. The newest trial of a
 * configuration counts. */
static const char each_unmeasured[] =
	"WITH" DB_MACHINES ", newest AS MATERIALIZED ("
	" SELECT r.id, r.outcome, max(r.started_ms) AS started_ms, v.kind, v.model,"
	"  w.name AS workload, p.name AS problem, r.cache_policy"
	" FROM (SELECT id, device_id, problem_id, cache_policy, outcome, max(started_ms) AS "
	"started_ms"
	"   FROM run r WHERE NOT simulated AND " DB_SEARCHED
	" GROUP BY device_id, problem_id, cache_policy) r"
	" JOIN device v ON v.id = r.device_id JOIN machines x ON x.device_id = v.id"
	" JOIN problem p ON p.id = r.problem_id JOIN workload w ON w.id = p.workload_id"
	" GROUP BY v.kind, v.model, x.machine, w.name, p.name, r.cache_policy),"
	" recent AS MATERIALIZED ("
	" SELECT run_id, implementation_id, status, reason, max(id) AS id FROM trial"
	" WHERE run_id IN (SELECT id FROM newest) GROUP BY run_id, implementation_id, config_key),"
	" seen AS MATERIALIZED ("
	" SELECT run_id, implementation_id, count(*) AS trials, sum(status = 'ok') AS ok,"
	"  sum(status" DB_PASSED ") AS passed, sum(status" DB_FAILED ") AS failed, status,"
	"  reason, max(id) FROM recent GROUP BY run_id, implementation_id)"
	" SELECT n.kind, n.model, n.workload, n.problem, n.cache_policy, i.name, n.outcome,"
	"  s.status, s.reason, coalesce(s.trials, 0), n.started_ms,"
	"  n.outcome IS 'done' AND s.passed = 0 AND s.failed > 0"
	" FROM newest n JOIN run_implementation x ON x.run_id = n.id"
	" JOIN implementation i ON i.id = x.implementation_id"
	" LEFT JOIN seen s ON s.run_id = n.id AND s.implementation_id = i.id"
	" WHERE coalesce(s.ok, 0) = 0 AND (s.trials > 0 OR n.outcome IS NOT 'done')"
	" ORDER BY n.kind, n.model, n.workload, n.problem, n.cache_policy, i.name";

enum asc_status db_each_unmeasured(struct db *d, db_unmeasured_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_unmeasured);
	while (statement_next(&s, &status, e)) {
		struct db_unmeasured o;

		statement_take_texts(
			&s, (const char **const[]){&o.device_kind, &o.device_model, &o.workload,
						   &o.problem, &o.cache_policy, &o.implementation,
						   &o.outcome, &o.status, &o.reason, NULL});
		o.trials = statement_take_int(&s);
		o.started_ms = statement_take_int(&s);
		o.broken = statement_take_int(&s) != 0;
		status = visit(user, &o, e);
	}
	return status;
}
