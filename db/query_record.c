#include "db/db.h"

#include <inttypes.h>
#include <stdlib.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/sql.h"
#include "db/statement.h"

#define SUBJECT(name, kind, member)                                                                \
	{                                                                                          \
		name, offsetof(struct db_record, member), DB_FIELD_##kind, false, true             \
	}
#define TRIAL(name, kind, member)                                                                  \
	{                                                                                          \
		name, offsetof(struct db_record, member), DB_FIELD_##kind, false, false            \
	}

/* In the order of the columns of db/sql/query/find_record.sql: first what was measured and where,
 * the columns of each_record_subject.sql, then the trial, those of each_record.sql. */
const struct db_field db_record_fields[] = {
	SUBJECT("workload", TEXT, workload),
	SUBJECT("operator", TEXT, operator_name),
	SUBJECT("problem", TEXT, problem),
	SUBJECT("problem_values", JSON, dims_json),
	SUBJECT("problem_key", TEXT, problem_key),
	SUBJECT("flops", AMOUNT, flops),
	SUBJECT("bytes", AMOUNT, bytes),
	SUBJECT("device_kind", TEXT, device_kind),
	SUBJECT("device_model", TEXT, device_model),
	SUBJECT("device_arch", TEXT, device_arch),
	SUBJECT("device_driver", TEXT, device_driver),
	SUBJECT("device_fingerprint", TEXT, device_fingerprint),
	SUBJECT("clock", TEXT, clock),
	SUBJECT("cache_policy", TEXT, cache_policy),
	SUBJECT("implementation", TEXT, implementation),
	SUBJECT("implementation_index", INT, implementation_index),
	SUBJECT("implementation_key", TEXT, implementation_key),
	TRIAL("config", JSON, config_json),
	TRIAL("config_key", TEXT, config_key),
	TRIAL("default", INT, is_default),
	TRIAL("status", TEXT, status),
	TRIAL("phase", TEXT, phase),
	TRIAL("reason", TEXT, reason),
	TRIAL("median_ns", REAL, median_ns),
	TRIAL("q1_ns", REAL, q1_ns),
	TRIAL("q3_ns", REAL, q3_ns),
	TRIAL("min_ns", REAL, min_ns),
	TRIAL("max_ns", REAL, max_ns),
	TRIAL("low_ns", REAL, low_ns),
	TRIAL("high_ns", REAL, high_ns),
	TRIAL("n_samples", INT, n_samples),
	TRIAL("build_ns", INT, build_ns),
	TRIAL("load_ns", INT, load_ns),
	TRIAL("verify_ns", INT, verify_ns),
	TRIAL("measure_ns", INT, measure_ns),
	TRIAL("max_abs_error", REAL, max_abs_error),
	TRIAL("verified_by", TEXT, verified_by),
	TRIAL("metrics", JSON, metrics_json),
	TRIAL("artifact", TEXT, artifact),
	TRIAL("run_id", INT, run_id),
	TRIAL("trial_id", INT, trial_id),
	TRIAL("recorded_at", TEXT, recorded_at),
	{0}};

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

	statement_begin(&s, d, sql_find_final_times);
	statement_set_int(&s, ":run_id", row->run_id);
	statement_set_text(&s, ":config_key", row->config_key);
	statement_set_int(&s, ":trial_id", row->trial_id);
	enum asc_status status = statement_step(&s, &row->of_finals, e);

	if (status == ASC_OK && row->of_finals) {
		row->samples = NULL; /* those of the search are not of these times */
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

/* Visits the trials of one subject, whose members `row` has. */
static enum asc_status visit_subject(struct db *d, const struct db_records *which,
				     struct db_record *row, db_record_fn *visit, void *user,
				     struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_record);
	statement_set_int(&s, ":implementation_id", row->implementation_id);
	statement_set_int(&s, ":newest", which->newest);
	statement_set_int(&s, ":device_id", row->device_id);
	statement_set_int(&s, ":problem_id", row->problem_id);
	statement_set_text(&s, ":cache_policy", row->cache_policy);
	statement_set_int(&s, ":simulated", which->simulated);
	while (statement_next(&s, &status, e)) {
		int64_t *samples = NULL;
		size_t bytes, n = 0;

		for (const struct db_field *f = db_record_fields; f->name; f++)
			if (!f->subject)
				db_take_field(&s, f, row);
		const void *blob = statement_take_blob(&s, &bytes);

		row->imported = statement_take_int(&s);
		row->of_finals = false;
		status = sample_blob_read(blob, bytes, &samples, &n, e);
		row->samples = n > 0 ? samples : NULL;
		if (blob) /* else their number stands alone: they were pruned, or there are none */
			row->n_samples = (int64_t)n;
		if (status == ASC_OK && which->finals)
			status = take_final(d, row, e);
		if (status == ASC_OK)
			status = visit(user, row, e);
		row->first = false;
		free(samples);
	}
	return status;
}

enum asc_status db_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
			       void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	/* Pages of a subject are read twice: for the order of its trials, and for the rest. */
	if (db_exec(d, "PRAGMA cache_size=-24576", e))
		return e->status;
	statement_begin(&s, d, sql_each_record_subject);
	statement_set_int(&s, ":simulated", which->simulated);
	while (statement_next(&s, &status, e)) {
		struct db_record row = {.simulated = which->simulated, .first = true};

		for (const struct db_field *f = db_record_fields; f->name; f++)
			if (f->subject)
				db_take_field(&s, f, &row);
		row.export_json = statement_take_text(&s);
		row.device_id = statement_take_int(&s);
		row.problem_id = statement_take_int(&s);
		row.implementation_id = statement_take_int(&s);
		status = visit_subject(d, which, &row, visit, user, e);
	}
	sqlite3_exec(d->sql, DB_READ_CACHE, NULL, NULL, NULL);
	return status;
}

/* ---- one trial ---- */

enum asc_status db_find_record(struct db *d, int64_t trial_id, db_record_fn *visit, void *user,
			       struct asc_err *e)
{
	struct db_record row = {0};
	struct statement s;
	bool found = false;

	statement_begin(&s, d, sql_find_record);
	statement_set_int(&s, ":trial_id", trial_id);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && !found)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no trial %" PRId64, d->path, trial_id);
	if (status == ASC_OK) {
		for (const struct db_field *f = db_record_fields; f->name; f++)
			db_take_field(&s, f, &row);
		row.simulated = statement_take_int(&s);
		row.imported = statement_take_int(&s);
		row.implementation_id = statement_take_int(&s);
		row.provenance_json = statement_take_text(&s);
		status = take_final(d, &row, e);
	}
	if (status == ASC_OK)
		status = visit(user, &row, e);
	statement_end(&s);
	return status;
}
