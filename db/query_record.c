#include "db/db.h"

#include <inttypes.h>
#include <stdlib.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/statement.h"

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
	X("status", TEXT, status, "t.status")                                                      \
	X("phase", TEXT, phase, "t.phase")                                                         \
	X("reason", TEXT, reason, "t.reason")                                                      \
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

#define SUBJECT_OF_TRIAL                                                                           \
	" JOIN run r ON r.id = t.run_id JOIN implementation i ON i.id = t.implementation_id"       \
	" JOIN device d ON d.id = r.device_id JOIN problem p ON p.id = r.problem_id"               \
	" JOIN workload w ON w.id = p.workload_id"

/* Of each configuration the newest trial, or all: ?2. */
static const char each_record[] = "SELECT " SUBJECT_LIST(COLUMN) TRIAL_LIST(
	COLUMN) "t.samples, w.export_json, r.simulated, r.imported,"
		" r.device_id, r.problem_id, t.implementation_id"
		" FROM (SELECT trial.*, row_number() OVER ("
		"   PARTITION BY device_id, problem_id, implementation_id, cache_policy, config_key"
		"   ORDER BY recorded_ms DESC, trial.id DESC) AS place"
		"  FROM trial JOIN run ON run.id = trial.run_id WHERE run.simulated = ?1) "
		"t" SUBJECT_OF_TRIAL " WHERE NOT ?2 OR t.place = 1"
		" ORDER BY w.name, p.name, p.key, d.kind, d.model, d.fingerprint, r.cache_policy,"
		"  i.name, i.idx, i.key, t.recorded_ms, t.id";

void db_take_field(struct statement *s, const struct db_field *f, void *row)
{
	void *member = (char *)row + f->offset;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON: *(const char **)member = statement_take_text(s); break;
	case DB_FIELD_INT: *(int64_t *)member = statement_take_int(s); break;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT: *(double *)member = statement_take_real(s); break;
	}
}

/* Times of the finals of the trial's run replace those of the search. */
static enum asc_status take_final(struct db *d, struct db_record *row, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"SELECT n_samples, min_ns, q1_ns, median_ns, q3_ns, max_ns,"
			" low_ns, high_ns FROM final"
			" WHERE run_id = ?1 AND config_key = ?2 AND implementation_id ="
			"  (SELECT implementation_id FROM trial WHERE id = ?3)");
	statement_bind_int(&s, row->run_id);
	statement_bind_text(&s, row->config_key);
	statement_bind_int(&s, row->trial_id);
	enum asc_status status = statement_step(&s, &row->of_finals, e);

	if (status == ASC_OK && row->of_finals) {
		row->samples = NULL;
		row->n_samples = statement_take_int(&s);
		row->min_ns = statement_take_real(&s);
		row->q1_ns = statement_take_real(&s);
		row->median_ns = statement_take_real(&s);
		row->q3_ns = statement_take_real(&s);
		row->max_ns = statement_take_real(&s);
		row->low_ns = statement_take_real(&s);
		row->high_ns = statement_take_real(&s);
	}
	statement_end(&s);
	return status;
}

static enum asc_status visit_row(struct db *d, struct statement *s, bool finals,
				 db_record_fn *visit, void *user, struct asc_err *e)
{
	struct db_record row = {0};
	int64_t *samples = NULL;
	size_t bytes, n = 0;

	for (const struct db_field *f = db_record_fields; f->name; f++)
		db_take_field(s, f, &row);
	const void *blob = statement_take_blob(s, &bytes);

	row.export_json = statement_take_text(s);
	row.simulated = statement_take_int(s);
	row.imported = statement_take_int(s);
	row.device_id = statement_take_int(s);
	row.problem_id = statement_take_int(s);
	row.implementation_id = statement_take_int(s);
	enum asc_status status = sample_blob_read(blob, bytes, &samples, &n, e);

	row.samples = samples;
	row.n_samples = (int64_t)n;
	if (status == ASC_OK && finals)
		status = take_final(d, &row, e);
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
		status = visit_row(d, &s, which->finals, visit, user, e);
	return status;
}

/* ---- one trial ---- */

static const char one_record[] = "SELECT " SUBJECT_LIST(COLUMN)
	TRIAL_LIST(COLUMN) "r.simulated, r.imported, " DB_PROVENANCE_JSON(
		"?1") " FROM trial t" SUBJECT_OF_TRIAL " WHERE t.id = ?1";

enum asc_status db_find_record(struct db *d, int64_t trial_id, db_record_fn *visit, void *user,
			       struct asc_err *e)
{
	struct db_record row = {0};
	struct statement s;
	bool found = false;

	statement_begin(&s, d, one_record);
	statement_bind_int(&s, trial_id);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && !found)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no trial %" PRId64, d->path, trial_id);
	if (status == ASC_OK) {
		for (const struct db_field *f = db_record_fields; f->name; f++)
			db_take_field(&s, f, &row);
		row.simulated = statement_take_int(&s);
		row.imported = statement_take_int(&s);
		row.provenance_json = statement_take_text(&s);
		status = take_final(d, &row, e);
	}
	if (status == ASC_OK)
		status = visit(user, &row, e);
	statement_end(&s);
	return status;
}
