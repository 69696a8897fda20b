#include "db/history.h"

#include <stdio.h>
#include <string.h>

#include "db/connection.h"
#include "db/statement.h"
#include "tuner/result/result.h"

/* ---- rows of histories ---- */

void history_load_runs(struct statement *s, struct db *d)
{
	statement_begin(
		s, d,
		"WITH" DB_MACHINES
		" SELECT v.kind, v.model, x.machine, w.name, p.name, r.cache_policy,"
		"  r.id, r.started_ms, v.fingerprint, v.driver, v.arch, v.clock, r.version,"
		"  substr(r.source_commit, 1, 12) || iif(r.source_clean, '', ' with changes'),"
		"  coalesce(json_extract(r.steady_json, '$.unsteady'), 0), p.key, r.baseline,"
		"  coalesce(json_extract(w.export_json, '$.\"$track\".threshold'), 0)"
		" FROM run r JOIN device v ON v.id = r.device_id"
		" JOIN machines x ON x.device_id = v.id"
		" JOIN problem p ON p.id = r.problem_id"
		" JOIN workload w ON w.id = p.workload_id"
		" WHERE NOT r.simulated AND r.outcome = 'done' AND " DB_SEARCHED
		" ORDER BY v.kind, v.model, x.machine, w.name, p.name, r.cache_policy,"
		"  r.started_ms, r.id");
}

void history_load_implementations(struct statement *s, struct db *d)
{
	statement_begin(s, d, "SELECT id, name, key, toolchain FROM implementation ORDER BY id");
}

void history_load_trials(struct statement *s, struct db *d)
{
	statement_begin(s, d,
			"SELECT run_id, implementation_id, id, config_hash, config_key, status,"
			" median_ns, clock_mhz FROM trial ORDER BY id DESC");
}

void history_load_finals(struct statement *s, struct db *d)
{
	statement_begin(s, d,
			"SELECT run_id, implementation_id, config_hash, config_key, winner,"
			" median_ns, clock_mhz FROM final");
}

/* ---- one configuration in one run ---- */

enum asc_status db_find_tried(struct db *d, int64_t run_id, const char *implementation,
			      const char *config_key, struct db_tried *out, struct asc_err *e)
{
	struct statement s;
	enum result_status r;
	enum asc_status status = ASC_OK;

	*out = (struct db_tried){0};
	statement_begin(&s, d,
			"SELECT t.status, t.median_ns, t.artifact, t.reason FROM implementation i"
			" JOIN trial t ON t.implementation_id = i.id AND t.config_hash = ?1"
			"  AND t.config_key = ?2 AND t.run_id = ?3"
			" WHERE i.name = ?4 ORDER BY t.id DESC LIMIT 1");
	statement_bind_int(&s, db_config_hash(config_key));
	statement_bind_text(&s, config_key);
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	if (statement_next(&s, &status, e)) {
		if (result_status_parse(statement_take_text(&s), &r))
			out->status = result_status_name(r);
		out->median_ns = statement_take_real(&s);
		const char *artifact = statement_take_text(&s);

		if (artifact && strlen(artifact) < sizeof out->artifact)
			memcpy(out->artifact, artifact, strlen(artifact) + 1);
		const char *reason = statement_take_text(&s);

		(void)snprintf(out->reason, sizeof out->reason, "%s", reason ? reason : "");
	}
	statement_end(&s);
	return status;
}

enum asc_status db_find_beside(struct db *d, int64_t run_id, const char *implementation,
			       const char *config_key, const char *other, struct db_beside *out,
			       bool *found, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_beside){0};
	statement_begin(&s, d,
			"SELECT coalesce((SELECT max(t.id) FROM trial t WHERE t.run_id = a.run_id"
			"  AND t.implementation_id = a.implementation_id"
			"  AND t.config_hash = a.config_hash AND t.config_key = a.config_key"
			"  AND t.status = 'ok'), 0),"
			" iif(b.winner, a.standing = 'slower', a.ratio_low > b.ratio_high),"
			" a.median_ns, a.clock_mhz, b.ratio / a.ratio,"
			" b.ratio / coalesce(a.ratio_low, a.ratio)"
			" FROM final a JOIN implementation i ON i.id = a.implementation_id"
			" JOIN final b ON b.run_id = a.run_id"
			"  AND b.implementation_id = a.implementation_id AND b.config_key = ?4"
			" WHERE a.run_id = ?1 AND i.name = ?2 AND a.config_key = ?3"
			"  AND a.median_ns IS NOT NULL AND a.ratio > 0 AND b.ratio > 0"
			"  AND NOT EXISTS (SELECT 1 FROM trial t WHERE t.run_id = a.run_id"
			"   AND t.implementation_id = a.implementation_id"
			"   AND t.config_hash = a.config_hash AND t.config_key = a.config_key"
			"   AND t.status" DB_FAILED ")");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	statement_bind_text(&s, config_key);
	statement_bind_text(&s, other);
	*found = statement_next(&s, &status, e);
	if (*found) {
		out->trial_id = statement_take_int(&s);
		out->slower = statement_take_int(&s) != 0;
		out->median_ns = statement_take_real(&s);
		out->clock_mhz = statement_take_real(&s);
		out->gain = statement_take_real(&s);
		out->least_gain = statement_take_real(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_find_withdrawal(struct db *d, int64_t run_id, const char *implementation,
				   const char *config_key, const char **status, struct asc_err *e)
{
	struct statement s;
	enum result_status r;
	enum asc_status result = ASC_OK;

	*status = NULL;
	statement_begin(&s, d,
			"SELECT t.status FROM run r"
			" JOIN run_implementation x ON x.run_id = r.id"
			" JOIN implementation i ON i.id = x.implementation_id AND i.name = ?2"
			" JOIN withdrawn w ON w.implementation_id = i.id AND w.config_hash = ?3"
			"  AND w.config_key = ?4 AND w.device_id = r.device_id"
			"  AND w.problem_id = r.problem_id"
			" JOIN trial t ON t.id = w.trial_id"
			" WHERE r.id = ?1 ORDER BY t.recorded_ms DESC, t.id DESC LIMIT 1");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	statement_bind_int(&s, db_config_hash(config_key));
	statement_bind_text(&s, config_key);
	if (statement_next(&s, &result, e) && result_status_parse(statement_take_text(&s), &r))
		*status = result_status_name(r);
	statement_end(&s);
	return result;
}

enum asc_status db_each_failure(struct db *d, int64_t run_id, const char *implementation,
				db_failure_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT status, count(*), min(reason), config_key FROM ("
			" SELECT t.status, t.reason, t.config_key, max(t.id) FROM implementation i"
			" JOIN trial t ON t.implementation_id = i.id AND t.run_id = ?1"
			" WHERE i.name = ?2 GROUP BY t.config_key)"
			" WHERE status" DB_FAILED
			" GROUP BY status ORDER BY count(*) DESC, status");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	while (statement_next(&s, &status, e)) {
		struct db_failure f = {.status = statement_take_text(&s)};

		f.configurations = statement_take_int(&s);
		f.reason = statement_take_text(&s);
		f.config_key = statement_take_text(&s);
		status = visit(user, &f, e);
	}
	return status;
}

/* Newest run of each problem on a device and the one before; one pass over the trials. An
 * implementation that took part without any trial was resumed and says nothing. */
static const char each_transition[] =
	"WITH" DB_MACHINES ", places AS MATERIALIZED ("
	" SELECT u.device_id, u.problem_id, u.cache_policy, v.kind, v.model, w.name AS workload,"
	"  p.name AS problem,"
	"  dense_rank() OVER (ORDER BY v.kind, v.model, x.machine, w.name, p.name,"
	"   u.cache_policy) AS place"
	" FROM (SELECT DISTINCT device_id, problem_id, cache_policy FROM run WHERE NOT simulated) u"
	" JOIN device v ON v.id = u.device_id JOIN machines x ON x.device_id = v.id"
	" JOIN problem p ON p.id = u.problem_id"
	" JOIN workload w ON w.id = p.workload_id),"
	" numbered AS ("
	" SELECT r.id AS run_id, l.place, row_number() OVER (PARTITION BY l.place"
	"   ORDER BY r.started_ms DESC, r.id DESC) AS age"
	" FROM run r JOIN places l ON l.device_id = r.device_id AND l.problem_id = r.problem_id"
	"  AND l.cache_policy IS r.cache_policy WHERE NOT r.simulated AND r.outcome = 'done'"
	"  AND " DB_SEARCHED "),"
	" aged AS MATERIALIZED (SELECT run_id, place, age FROM numbered WHERE age <= 2),"
	" recent AS MATERIALIZED ("
	" SELECT a.place, a.age, i.name AS implementation, t.config_key, t.status, t.reason,"
	"  max(t.id)"
	" FROM trial t CROSS JOIN aged a ON a.run_id = t.run_id"
	" JOIN implementation i ON i.id = t.implementation_id"
	" GROUP BY a.place, a.age, i.name, t.config_key),"
	" took AS MATERIALIZED ("
	" SELECT DISTINCT a.place, a.age, i.name AS implementation FROM aged a"
	" JOIN run_implementation x ON x.run_id = a.run_id"
	" JOIN implementation i ON i.id = x.implementation_id),"
	" seen AS MATERIALIZED ("
	" SELECT place, age, implementation, iif(max(status" DB_PASSED
	"), 'measured', 'failed') AS state"
	" FROM recent GROUP BY place, age, implementation),"
	" state AS MATERIALIZED ("
	" SELECT n.place, n.implementation, g.age, iif(t.age IS NULL, 'not run', s.state) AS state"
	" FROM (SELECT DISTINCT place, implementation FROM took) n"
	" JOIN aged g ON g.place = n.place"
	" LEFT JOIN took t ON t.place = n.place AND t.age = g.age"
	"  AND t.implementation = n.implementation"
	" LEFT JOIN seen s ON s.place = n.place AND s.age = g.age"
	"  AND s.implementation = n.implementation),"
	" turned AS ("
	" SELECT n.place, n.implementation, n.config_key, o.status AS was, n.status AS now, "
	"n.reason"
	" FROM recent n JOIN recent o ON o.place = n.place AND o.age = 2 AND n.age = 1"
	"  AND o.implementation = n.implementation AND o.config_key = n.config_key"
	" WHERE (o.status" DB_PASSED ") <> (n.status" DB_PASSED ")"
	" UNION ALL"
	" SELECT n.place, n.implementation, NULL, o.state, n.state, NULL"
	" FROM state n JOIN state o ON o.place = n.place AND o.age = 2 AND n.age = 1"
	"  AND o.implementation = n.implementation"
	" WHERE (o.state = 'measured') <> (n.state = 'measured'))"
	" SELECT DISTINCT l.kind, l.model, l.workload, l.problem, l.cache_policy,"
	"  x.implementation, x.config_key, x.was, x.now, x.reason"
	" FROM turned x JOIN places l ON l.place = x.place"
	" ORDER BY l.place, x.implementation, x.config_key";

enum asc_status db_each_transition(struct db *d, db_transition_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_transition);
	while (statement_next(&s, &status, e)) {
		struct db_transition t;

		statement_take_texts(
			&s, (const char **const[]){&t.device_kind, &t.device_model, &t.workload,
						   &t.problem, &t.cache_policy, &t.implementation,
						   &t.config_key, &t.was, &t.is, &t.reason, NULL});
		status = visit(user, &t, e);
	}
	return status;
}

enum asc_status db_each_metric_change(struct db *d, int64_t before_trial, int64_t after_trial,
				      db_metric_change_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT n.probe, n.name, n.unit, a.value, b.value FROM metric a"
			" JOIN metric b ON b.trial_id = ?2 AND b.name_id = a.name_id"
			" JOIN metric_name n ON n.id = a.name_id"
			" WHERE a.trial_id = ?1 AND a.value IS NOT NULL AND b.value IS NOT NULL"
			" ORDER BY n.probe, n.name");
	statement_bind_int(&s, before_trial);
	statement_bind_int(&s, after_trial);
	while (statement_next(&s, &status, e)) {
		struct db_metric_change f;

		statement_take_texts(&s, (const char **const[]){&f.probe, &f.name, &f.unit, NULL});
		f.before = statement_take_real(&s);
		f.after = statement_take_real(&s);
		status = visit(user, &f, e);
	}
	return status;
}

enum asc_status db_each_metric(struct db *d, int64_t trial_id, db_metric_fn *visit, void *user,
			       struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT n.probe, n.name, m.value FROM metric m"
			" JOIN metric_name n ON n.id = m.name_id"
			" WHERE m.trial_id = ?1 AND m.value IS NOT NULL"
			" UNION ALL SELECT 'build', 'ns', build_ns FROM trial"
			" WHERE id = ?1 AND NOT cached AND build_ns > 0");
	statement_bind_int(&s, trial_id);
	while (statement_next(&s, &status, e)) {
		struct db_metric m;

		statement_take_texts(&s, (const char **const[]){&m.probe, &m.name, NULL});
		m.value = statement_take_real(&s);
		status = visit(user, &m, e);
	}
	return status;
}

enum asc_status db_acknowledge(struct db *d, const struct db_acknowledgement *a, struct asc_err *e)
{
	struct statement s;

	statement_begin(
		&s, d,
		"INSERT INTO acknowledgement(series, since_ms, reason, who, made_ms, until_ms)"
		" VALUES(?, ?, ?, ?, ?, ?)");
	statement_bind_text(&s, a->series);
	statement_bind_int(&s, a->since_ms);
	statement_bind_text(&s, a->reason);
	statement_bind_text(&s, a->who);
	statement_bind_int(&s, a->made_ms);
	statement_bind_int(&s, a->until_ms);
	return statement_run(&s, e);
}

enum asc_status db_forget_acknowledgements(struct db *d, const char *series, int64_t *n,
					   struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, "SELECT count(*) FROM acknowledgement WHERE series = ?");
	statement_bind_text(&s, series);
	if (statement_run_int(&s, n, &found, e))
		return e->status;
	statement_begin(&s, d, "DELETE FROM acknowledgement WHERE series = ?");
	statement_bind_text(&s, series);
	return statement_run(&s, e);
}

enum asc_status db_each_acknowledgement(struct db *d, db_acknowledgement_fn *visit, void *user,
					struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT series, reason, who, since_ms, made_ms, until_ms"
			" FROM acknowledgement ORDER BY made_ms, reason, id");
	while (statement_next(&s, &status, e)) {
		struct db_acknowledgement a;

		statement_take_texts(&s,
				     (const char **const[]){&a.series, &a.reason, &a.who, NULL});
		a.since_ms = statement_take_int(&s);
		a.made_ms = statement_take_int(&s);
		a.until_ms = statement_take_int(&s);
		status = visit(user, &a, e);
	}
	return status;
}
