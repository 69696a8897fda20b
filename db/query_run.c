#include "db/run_view.h"

#include <math.h>
#include <stdio.h>

#include "db/connection.h"
#include "db/db.h"
#include "db/history.h"
#include "db/sample_blob.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/result/tie.h"

/* ---- which runs ---- */

static void take_range(struct statement *s, struct db_run_range *r)
{
	r->run_id = statement_take_int(s);
	r->first_trial = statement_take_int(s);
	r->last_trial = statement_take_int(s);
}

enum asc_status db_each_newest_run(struct db *d, db_run_view_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_newest_run);
	while (statement_next(&s, &status, e)) {
		struct db_run_view r;

#define X(member) r.member = statement_take_text(&s);
		DB_RUN_VIEW_TEXTS(X)
#undef X
		take_range(&s, &r.range);
		take_range(&s, &r.before);
		r.older = statement_take_int(&s);
		r.started_ms = statement_take_int(&s);
		r.ended_ms = statement_take_int(&s);
		r.trials = statement_take_int(&s);
		r.ok_trials = statement_take_int(&s);
		r.samples = statement_take_int(&s);
		r.disturbed = statement_take_int(&s);
		r.simulated = statement_take_int(&s);
		r.imported = statement_take_int(&s);
		r.flops = statement_take_real(&s);
		r.bytes = statement_take_real(&s);
		const char *fingerprint = statement_take_text(&s);
		status = db_find_roof(d, fingerprint, statement_take_text(&s), &r.roof, e);
		if (status == ASC_OK)
			status = visit(user, &r, e);
	}
	return status;
}

/* ---- all that is recorded of a run ---- */

#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, offsetof(struct db_run_record, member), DB_FIELD_##kind, false, false        \
	}

/* In the order of the columns of db/sql/query/each_run.sql. */
const struct db_field db_run_fields[] = {FIELD("run_id", INT, run_id),
					 FIELD("workload", TEXT, workload),
					 FIELD("problem", TEXT, problem),
					 FIELD("problem_values", JSON, dims_json),
					 FIELD("problem_key", TEXT, problem_key),
					 FIELD("workload_file", TEXT, workload_file),
					 FIELD("workload_hash", TEXT, workload_hash),
					 FIELD("source_commit", TEXT, source_commit),
					 FIELD("source_clean", INT, source_clean),
					 FIELD("device_kind", TEXT, device_kind),
					 FIELD("device_model", TEXT, device_model),
					 FIELD("device_arch", TEXT, device_arch),
					 FIELD("device_driver", TEXT, device_driver),
					 FIELD("device_fingerprint", TEXT, device_fingerprint),
					 FIELD("device_machine", TEXT, device_machine),
					 FIELD("version", TEXT, version),
					 FIELD("strategy", TEXT, strategy),
					 FIELD("seed", INT, seed),
					 FIELD("input_seeds", JSON, input_seeds),
					 FIELD("budget", TEXT, budget),
					 FIELD("cache_policy", TEXT, cache_policy),
					 FIELD("baseline", TEXT, baseline),
					 FIELD("history", JSON, history_json),
					 FIELD("patience", JSON, patience_json),
					 FIELD("simulated", INT, simulated),
					 FIELD("imported", INT, imported),
					 FIELD("started_at", TEXT, started_at),
					 FIELD("ended_at", TEXT, ended_at),
					 FIELD("outcome", TEXT, outcome),
					 FIELD("trials", INT, trials),
					 FIELD("statuses", JSON, statuses_json),
					 FIELD("sure", TEXT, sure),
					 FIELD("noise_pct", REAL, noise_pct),
					 FIELD("steady", JSON, steady_json),
					 FIELD("policy", JSON, policy_json),
					 {0}};

enum asc_status db_each_run(struct db *d, const struct db_run_choice *c, db_run_record_fn *visit,
			    void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_run);
	statement_set_int(&s, ":run_id", c->run_id);
	statement_set_text(&s, ":workload", c->workload);
	statement_set_text(&s, ":problem", c->problem);
	while (statement_next(&s, &status, e)) {
		struct db_run_record r = {0};

		for (const struct db_field *f = db_run_fields; f->name; f++)
			db_take_field(&s, f, &r);
		if (r.sure)
			r.sure = sure_name(sure_parse(r.sure));
		status = visit(user, &r, e);
	}
	return status;
}

/* ---- how far a run came ---- */

enum asc_status db_find_run_state(struct db *d, const char *device_kind, bool simulated,
				  const char *workload, const char *problem,
				  struct db_run_state *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_run_state){0};
	statement_begin(&s, d, sql_find_run_state);
	statement_set_int(&s, ":simulated", simulated);
	statement_set_text(&s, ":device_kind", device_kind);
	statement_set_text(&s, ":workload", workload);
	statement_set_text(&s, ":problem", problem);
	if (statement_next(&s, &status, e)) {
		out->run_id = statement_take_int(&s);
		snprintf(out->outcome, sizeof out->outcome, "%s", statement_take_text(&s));
		out->trials = statement_take_int(&s);
		out->ok_trials = statement_take_int(&s);
		out->history = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_find_run_time(struct db *d, const char *device_kind, const char *device_model,
				 const char *workload, const char *problem, struct db_run_time *out,
				 struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_run_time){0};
	statement_begin(&s, d, sql_find_run_time);
	statement_set_text(&s, ":device_kind", device_kind);
	statement_set_text(&s, ":device_model", device_model);
	statement_set_text(&s, ":workload", workload);
	statement_set_text(&s, ":problem", problem);
	if (statement_next(&s, &status, e)) {
		const int64_t took_ms = statement_take_int(&s);
		const char *begun_on = statement_take_text(&s);

		out->took_ms = took_ms;
		(void)snprintf(out->begun_on, sizeof out->begun_on, "%s", begun_on ? begun_on : "");
	}
	statement_end(&s);
	return status;
}

/* ---- what a run tried ---- */

static void set_range(struct statement *s, const struct db_run_range *r)
{
	statement_set_int(s, ":run_id", r->run_id);
	statement_set_int(s, ":first_trial", r->first_trial);
	statement_set_int(s, ":last_trial", r->last_trial);
}

static enum asc_status take_trial(struct statement *s, struct db_run_trial *t, struct asc_err *e)
{
	t->id = statement_take_int(s);
	t->implementation_id = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){&t->implementation, &t->config_json,
						       &t->config_key, NULL});
	const char *status = statement_take_text(s);

	t->is_default = statement_take_int(s);
	t->cached = statement_take_int(s);
	t->recorded_ms = statement_take_int(s);
	for (size_t i = 0; i < PHASE_COUNT; i++)
		t->spent_ns[i] = statement_take_int(s);
	t->median_ns = statement_take_real(s);
	t->low_ns = statement_take_real(s);
	t->high_ns = statement_take_real(s);
	if (status && result_status_parse(status, &t->status))
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "%s: a trial has the unknown status \"%s\"", s->db->path,
			   status ? status : "");
}

enum asc_status db_each_run_trial(struct db *d, const struct db_run_range *r,
				  db_run_trial_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_run_trial);
	set_range(&s, r);
	while (statement_next(&s, &status, e)) {
		struct db_run_trial t;

		status = take_trial(&s, &t, e);
		if (status == ASC_OK)
			status = visit(user, &t, e);
	}
	return status;
}

/* ---- finals ---- */

static void take_final(struct statement *s, struct db_run_final *f)
{
	f->implementation_id = statement_take_int(s);
	f->implementation = statement_take_text(s);
	f->config_key = statement_take_text(s);
	f->trial_id = statement_take_int(s);
	f->tried_id = statement_take_int(s);
	f->standing = standing_parse(statement_take_text(s));
	f->winner = statement_take_int(s);
	f->is_default = statement_take_int(s);
	f->ratio = statement_take_real(s);
	f->ratio_low = statement_take_real(s);
	f->ratio_high = statement_take_real(s);
	if (f->standing == STANDING_SLOWER && f->ratio_low <= 1) /* of an earlier version */
		f->ratio_low = f->ratio_high = NAN;
	f->median_ns = statement_take_real(s);
	f->low_ns = statement_take_real(s);
	f->high_ns = statement_take_real(s);
	f->n_samples = statement_take_int(s);
	f->min_ns = statement_take_real(s);
	f->q1_ns = statement_take_real(s);
	f->q3_ns = statement_take_real(s);
	f->max_ns = statement_take_real(s);
	f->clock_mhz = statement_take_real(s);
	statement_take_bits(s, &f->bits);
	f->code = statement_take_text(s);
}

enum asc_status db_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit, void *user,
				  struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_run_final);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		struct db_run_final f;

		take_final(&s, &f);
		status = visit(user, &f, e);
	}
	return status;
}

enum asc_status db_each_passed(struct db *d, int64_t run_id, db_passed_fn *visit, void *user,
			       struct asc_err *e)
{
	struct statement s;
	enum asc_status status;
	bool found;

	statement_begin(&s, d, sql_has_run);
	statement_set_int(&s, ":run_id", run_id);
	status = statement_run_int(&s, &(int64_t){0}, &found, e);
	if (status != ASC_OK || !found)
		return status ? status : db_fail_run(d, run_id, e);
	statement_begin(&s, d, sql_each_passed);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		struct db_passed t = {.trial_id = statement_take_int(&s)};

		t.implementation_id = statement_take_int(&s);
		statement_take_texts(
			&s, (const char **const[]){&t.implementation, &t.config_key, NULL});
		t.median_ns = statement_take_real(&s);
		t.winner = (int)statement_take_int(&s);
		t.ratio = statement_take_real(&s);
		t.final_ns = statement_take_real(&s);
		status = visit(user, &t, e);
	}
	return status;
}

enum asc_status db_get_final_samples(struct db *d, int64_t run_id, const char *implementation,
				     const char *config_key, int64_t **out, size_t *n,
				     struct asc_err *e)
{
	struct statement s;
	size_t bytes = 0;
	bool found;

	*out = NULL;
	*n = 0;
	statement_begin(&s, d, sql_get_final_samples);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_text(&s, ":implementation", implementation);
	statement_set_text(&s, ":config_key", config_key);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && found) {
		const void *blob = statement_take_blob(&s, &bytes);

		status = sample_blob_read(blob, bytes, out, n, e);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_each_compared(struct db *d, int64_t run_id, int64_t implementation_id,
				 db_compared_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_compared);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	while (statement_next(&s, &status, e)) {
		struct db_compared b = {.run_id = statement_take_int(&s)};

		b.config_key = statement_take_text(&s);
		b.state = (enum db_compared_state)statement_take_int(&s);
		status = visit(user, &b, e);
	}
	return status;
}

/* ---- covers ---- */

enum asc_status db_each_cover_cell(struct db *d, db_cover_cell_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_cover_cell);
	while (statement_next(&s, &status, e)) {
		struct db_cover_cell c;

		statement_take_texts(&s, (const char **const[]){&c.device, &c.cache_policy,
								&c.workload, &c.implementation,
								&c.config_key, &c.problem, NULL});
		c.ratio = statement_take_real(&s);
		c.is_default = statement_take_int(&s);
		c.device_id = statement_take_int(&s);
		c.problem_id = statement_take_int(&s);
		c.implementation_id = statement_take_int(&s);
		status = visit(user, &c, e);
	}
	return status;
}

/* ---- energy ---- */

enum asc_status db_each_run_energy(struct db *d, int64_t run_id, db_run_energy_fn *visit,
				   void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_run_energy);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		struct db_run_energy x;

		statement_take_texts(
			&s, (const char **const[]){&x.implementation, &x.config_key, NULL});
		x.winner = statement_take_int(&s);
		for (size_t i = 0; i < 6; i++)
			*(double *const[]){&x.ns,     &x.low_ns, &x.high_ns,
					   &x.joules, &x.low_j,  &x.high_j}[i] =
				statement_take_real(&s);
		status = visit(user, &x, e);
	}
	return status;
}
