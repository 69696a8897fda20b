#include "db/db.h"

#include <stdlib.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/statement.h"

/* SQL for status or reason of a trial; where only the newest of each configuration is asked for,
 * those of the trial that withdrew it, if any. */
#define NOW(column)                                                                                \
	"coalesce(iif(?2 AND t.status = 'ok' AND NOT r.simulated, (SELECT x." column               \
	" FROM withdrawn v JOIN trial x ON x.id = v.trial_id"                                      \
	" WHERE v.implementation_id = t.implementation_id AND v.config_hash = t.config_hash"       \
	" AND v.config_key = t.config_key AND v.device_id = r.device_id"                           \
	" AND v.problem_id = r.problem_id ORDER BY x.recorded_ms DESC, x.id DESC LIMIT 1), NULL)," \
	" t." column ")"

/* Name, kind, member, what it is in the query. First what was measured and where, then the trial.
 */
#define SUBJECT_LIST(X)                                                                            \
	X("workload", TEXT, workload, "w.name")                                                    \
	X("operator", TEXT, operator_name, "w.operator")                                           \
	X("problem", TEXT, problem, "p.name")                                                      \
	X("problem_values", JSON, dims_json, "p.dims_json")                                        \
	X("problem_key", TEXT, problem_key, "p.key")                                               \
	X("flops", AMOUNT, flops, "p.flops")                                                       \
	X("bytes", AMOUNT, bytes, "p.bytes")                                                       \
	X("device_kind", TEXT, device_kind, "d.kind")                                              \
	X("device_model", TEXT, device_model, "d.model")                                           \
	X("device_arch", TEXT, device_arch, "d.arch")                                              \
	X("device_driver", TEXT, device_driver, "d.driver")                                        \
	X("device_fingerprint", TEXT, device_fingerprint, "d.fingerprint")                         \
	X("clock", TEXT, clock, "d.clock")                                                         \
	X("cache_policy", TEXT, cache_policy, "r.cache_policy")                                    \
	X("implementation", TEXT, implementation, "i.name")                                        \
	X("implementation_index", INT, implementation_index, "i.idx")                              \
	X("implementation_key", TEXT, implementation_key, "i.key")

#define TRIAL_LIST(X)                                                                              \
	X("config", JSON, config_json, "t.config_json")                                            \
	X("config_key", TEXT, config_key, "t.config_key")                                          \
	X("default", INT, is_default, "t.is_default")                                              \
	X("status", TEXT, status, NOW("status"))                                                   \
	X("phase", TEXT, phase, "t.phase")                                                         \
	X("reason", TEXT, reason, NOW("reason"))                                                   \
	X("median_ns", REAL, median_ns, "t.median_ns")                                             \
	X("q1_ns", REAL, q1_ns, "t.q1_ns")                                                         \
	X("q3_ns", REAL, q3_ns, "t.q3_ns")                                                         \
	X("min_ns", REAL, min_ns, "t.min_ns")                                                      \
	X("max_ns", REAL, max_ns, "t.max_ns")                                                      \
	X("low_ns", REAL, low_ns, "t.low_ns")                                                      \
	X("high_ns", REAL, high_ns, "t.high_ns")                                                   \
	X("n_samples", INT, n_samples, "t.n_samples")                                              \
	X("build_ns", INT, build_ns, "t.build_ns")                                                 \
	X("load_ns", INT, load_ns, "t.load_ns")                                                    \
	X("verify_ns", INT, verify_ns, "t.verify_ns")                                              \
	X("measure_ns", INT, measure_ns, "t.measure_ns")                                           \
	X("max_abs_error", REAL, max_abs_error, "t.max_abs")                                       \
	X("metrics", JSON, metrics_json, DB_METRICS_JSON("t.id"))                                  \
	X("artifact", TEXT, artifact, "t.artifact")                                                \
	X("run_id", INT, run_id, "t.run_id")                                                       \
	X("trial_id", INT, trial_id, "t.id")                                                       \
	X("recorded_at", TEXT, recorded_at,                                                        \
	  "strftime('%Y-%m-%dT%H:%M:%fZ', t.recorded_ms / 1000.0, 'unixepoch')")

#define SUBJECT_FIELD(name, kind, member, sql)                                                     \
	{name, offsetof(struct db_record, member), DB_FIELD_##kind, false, true},
#define TRIAL_FIELD(name, kind, member, sql)                                                       \
	{name, offsetof(struct db_record, member), DB_FIELD_##kind, false, false},
#define COLUMN(name, kind, member, sql) sql ", "

const struct db_field db_record_fields[] = {SUBJECT_LIST(SUBJECT_FIELD) TRIAL_LIST(TRIAL_FIELD){0}};

static const char each_record[] = "SELECT " SUBJECT_LIST(COLUMN) TRIAL_LIST(
	COLUMN) "t.samples"
		" FROM (SELECT trial.*, row_number() OVER ("
		"   PARTITION BY device_id, problem_id, implementation_id, cache_policy, config_key"
		"   ORDER BY recorded_ms DESC, trial.id DESC) AS place"
		"  FROM trial JOIN run ON run.id = trial.run_id WHERE run.simulated = ?1) t"
		" JOIN run r ON r.id = t.run_id"
		" JOIN implementation i ON i.id = t.implementation_id"
		" JOIN device d ON d.id = r.device_id"
		" JOIN problem p ON p.id = r.problem_id"
		" JOIN workload w ON w.id = p.workload_id"
		" WHERE NOT ?2 OR (t.place = 1 AND (r.simulated OR EXISTS (SELECT 1 FROM current c"
		"  WHERE c.device_id = r.device_id AND c.problem_id = r.problem_id"
		"   AND c.implementation_id = t.implementation_id)))"
		" ORDER BY w.name, p.name, p.key, d.kind, d.model, d.fingerprint, r.cache_policy,"
		"  i.name, i.idx, i.key, t.recorded_ms, t.id";

static enum asc_status visit_row(struct statement *s, db_record_fn *visit, void *user,
				 struct asc_err *e)
{
	struct db_record row = {0};
	int64_t *samples = NULL;
	size_t bytes, n = 0;

	for (const struct db_field *f = db_record_fields; f->name; f++)
		db_take_field(s, f, &row);
	const void *blob = statement_take_blob(s, &bytes);
	enum asc_status status = sample_blob_read(blob, bytes, &samples, &n, e);

	row.samples = samples;
	row.n_samples = (int64_t)n;
	if (status == ASC_OK)
		status = visit(user, &row, e);
	free(samples);
	return status;
}

enum asc_status db_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
			       void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_record);
	statement_bind_int(&s, which->simulated);
	statement_bind_int(&s, which->newest);
	while (statement_next(&s, &status, e))
		status = visit_row(&s, visit, user, e);
	return status;
}
