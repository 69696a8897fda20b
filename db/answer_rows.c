#include "db/answer_rows.h"

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"

/* ---- reading ---- */

static void begin_of_subject(struct statement *s, struct db *d, const char *sql, int64_t device_id,
			     int64_t problem_id)
{
	statement_begin(s, d, sql);
	statement_set_int(s, ":device_id", device_id);
	statement_set_int(s, ":problem_id", problem_id);
}

void answer_rows_begin(struct statement *s, struct db *d, const char *workload)
{
	statement_begin(s, d, sql_load_answers);
	statement_set_text(s, ":workload", workload);
}

void answer_rows_begin_of(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_answers_of, device_id, problem_id);
}

void answer_rows_take(struct statement *s, struct answer_row *out)
{
	*out = (struct answer_row){.device_id = statement_take_int(s)};
	out->problem_id = statement_take_int(s);
	out->cache_policy = statement_take_text(s);
	out->simulated = statement_take_int(s);
	out->own = statement_take_int(s);
	out->implementation_id = statement_take_int(s);
	out->failed = statement_take_int(s);
	out->trial_id = statement_take_int(s);
	out->final_run_id = statement_take_int(s);
	out->sure = statement_take_text(s);
	out->noise_pct = statement_take_real(s);
	out->n_ties = statement_take_int(s);
	out->ties_json = statement_take_text(s);
	out->default_ns = statement_take_real(s);
	out->vs_default = statement_take_real(s);
	out->default_key = statement_take_text(s);
	out->baselines_json = statement_take_text(s);
	out->trials = statement_take_int(s);
	out->ok_trials = statement_take_int(s);
	out->newest = statement_take_int(s);
}

void answer_rows_begin_stale(struct statement *s, struct db *d, const char *workload)
{
	statement_begin(s, d, sql_load_stale);
	statement_set_text(s, ":workload", workload);
}

void answer_rows_begin_stale_of(struct statement *s, struct db *d, int64_t device_id,
				int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_stale_of, device_id, problem_id);
}

/* ---- writing ---- */

static enum asc_status run_of(struct db *d, const char *sql, int64_t device_id, int64_t problem_id,
			      struct asc_err *e)
{
	struct statement s;

	begin_of_subject(&s, d, sql, device_id, problem_id);
	return statement_run(&s, e);
}

static enum asc_status add(struct db *d, const struct answer_row *a, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_add_answer);
	statement_set_int(&s, ":device_id", a->device_id);
	statement_set_int(&s, ":problem_id", a->problem_id);
	statement_set_text(&s, ":cache_policy", a->cache_policy);
	statement_set_int(&s, ":simulated", a->simulated);
	statement_set_int(&s, ":own", a->own);
	statement_set_int(&s, ":implementation_id", a->implementation_id);
	statement_set_int(&s, ":failed", a->failed);
	statement_set_int(&s, ":trial_id", a->trial_id);
	statement_set_int(&s, ":final_run_id", a->final_run_id);
	statement_set_text(&s, ":sure", a->sure);
	statement_set_real(&s, ":noise_pct", a->noise_pct);
	statement_set_int(&s, ":n_ties", a->n_ties);
	statement_set_text(&s, ":ties_json", a->ties_json);
	statement_set_real(&s, ":default_ns", a->default_ns);
	statement_set_real(&s, ":vs_default", a->vs_default);
	statement_set_text(&s, ":default_key", a->default_key);
	statement_set_text(&s, ":baselines_json", a->baselines_json);
	statement_set_int(&s, ":trials", a->trials);
	statement_set_int(&s, ":ok_trials", a->ok_trials);
	statement_set_int(&s, ":newest", a->newest);
	return statement_run(&s, e);
}

enum asc_status outcome_rows_replace(struct db *d, int64_t device_id, int64_t problem_id,
				     const struct outcome_row *rows, size_t n, struct asc_err *e)
{
	enum asc_status status = run_of(d, sql_remove_outcomes, device_id, problem_id, e);
	struct statement s;

	for (size_t i = 0; i < n && status == ASC_OK; i++) {
		begin_of_subject(&s, d, sql_add_outcome, device_id, problem_id);
		statement_set_int(&s, ":run_id", rows[i].run_id);
		statement_set_int(&s, ":implementation_id", rows[i].implementation_id);
		statement_set_text(&s, ":config_key", rows[i].config_key);
		statement_set_int(&s, ":trial_id", rows[i].trial_id);
		statement_set_real(&s, ":ns", rows[i].ns);
		statement_set_real(&s, ":clock_mhz", rows[i].clock_mhz);
		statement_set_int(&s, ":passed", rows[i].passed);
		statement_set_int(&s, ":failed", rows[i].failed);
		status = statement_run(&s, e);
	}
	return status;
}

enum asc_status answer_rows_replace(struct db *d, int64_t device_id, int64_t problem_id,
				    const struct answer_row *const *rows, size_t n,
				    struct asc_err *e)
{
	enum asc_status status = run_of(d, sql_remove_answers, device_id, problem_id, e);

	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = add(d, rows[i], e);
	if (status == ASC_OK)
		status = run_of(d, sql_remove_stale, device_id, problem_id, e);
	return status;
}
