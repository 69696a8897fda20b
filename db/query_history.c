#include "db/history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"

/* ---- rows of histories ---- */

void history_load_runs(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_runs);
}

void history_load_implementations(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_implementations);
}

void history_load_outcomes(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_outcomes);
}

void history_load_counts(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_counts);
}

static void begin_of_subject(struct statement *s, struct db *d, const char *sql, int64_t device_id,
			     int64_t problem_id)
{
	statement_begin(s, d, sql);
	statement_set_int(s, ":device_id", device_id);
	statement_set_int(s, ":problem_id", problem_id);
}

void history_load_trials(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_trials);
}

void history_load_trials_of(struct statement *s, struct db *d, int64_t device_id,
			    int64_t problem_id)
{
	begin_of_subject(s, d, sql_history_trials_of, device_id, problem_id);
}

void history_load_trials_of_gates(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_trials_of_gates);
}

void history_load_finals(struct statement *s, struct db *d)
{
	statement_begin(s, d, sql_history_finals);
}

void history_load_finals_of(struct statement *s, struct db *d, int64_t device_id,
			    int64_t problem_id)
{
	begin_of_subject(s, d, sql_history_finals_of, device_id, problem_id);
}

void history_load_run_trials(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, sql_history_run_trials);
	statement_set_int(s, ":run_id", run_id);
}

void history_load_participants(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, sql_history_participants);
	statement_set_int(s, ":run_id", run_id);
}

/* Sets the parameters that name a configuration of an implementation in a run. */
static void set_config(struct statement *s, int64_t run_id, const char *implementation,
		       const char *config_key)
{
	statement_set_int(s, ":run_id", run_id);
	statement_set_text(s, ":implementation", implementation);
	statement_set_int(s, ":config_hash", db_config_hash(config_key));
	statement_set_text(s, ":config_key", config_key);
}

void history_load_failures(struct statement *s, struct db *d, int64_t run_id,
			   const char *implementation, const char *config_key)
{
	statement_begin(s, d, sql_history_failures);
	set_config(s, run_id, implementation, config_key);
}

void history_load_newest_pass(struct statement *s, struct db *d, int64_t run_id,
			      int64_t implementation_id, const char *config_key)
{
	statement_begin(s, d, sql_history_newest_pass);
	statement_set_int(s, ":run_id", run_id);
	statement_set_int(s, ":implementation_id", implementation_id);
	statement_set_int(s, ":config_hash", db_config_hash(config_key));
	statement_set_text(s, ":config_key", config_key);
}

/* ---- one configuration in one run ---- */

enum asc_status db_find_tried(struct db *d, int64_t run_id, const char *implementation,
			      const char *config_key, struct db_tried *out, struct asc_err *e)
{
	struct statement s;
	enum result_status r;
	enum asc_status status = ASC_OK;

	*out = (struct db_tried){0};
	statement_begin(&s, d, sql_history_tried);
	set_config(&s, run_id, implementation, config_key);
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
			       struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_beside){0};
	statement_begin(&s, d, sql_history_beside);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_text(&s, ":implementation", implementation);
	statement_set_text(&s, ":config_key", config_key);
	statement_set_text(&s, ":other", other);
	out->found = statement_next(&s, &status, e);
	if (out->found) {
		const char *text = statement_take_text(&s);
		const bool stands_slower = text && standing_parse(text) == STANDING_SLOWER;

		out->median_ns = statement_take_real(&s);
		out->clock_mhz = statement_take_real(&s);
		const double ratio = statement_take_real(&s), low = statement_take_real(&s);
		const bool won = statement_take_int(&s) != 0;
		const double other_ratio = statement_take_real(&s),
			     other_high = statement_take_real(&s);

		/* Standings are beside the winner. Beside another finalist the intervals of both
		 * tell: apart is slower. */
		out->slower = won ? stands_slower : low > other_high;
		out->gain = other_ratio / ratio;
		out->least_gain = other_ratio / (isnan(low) ? ratio : low);
		out->trial_id = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_each_failure(struct db *d, int64_t run_id, const char *implementation,
				db_failure_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_history_failures_of_run);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_text(&s, ":implementation", implementation);
	while (statement_next(&s, &status, e)) {
		struct db_failure f = {.status = statement_take_text(&s)};

		f.configurations = statement_take_int(&s);
		f.reason = statement_take_text(&s);
		f.config_key = statement_take_text(&s);
		status = visit(user, &f, e);
	}
	return status;
}

/* ---- metrics ---- */

static enum asc_status visit_changes(struct statement *s, db_metric_change_fn *visit, void *user,
				     struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (statement_next(s, &status, e)) {
		struct db_metric_change f;

		statement_take_texts(s, (const char **const[]){&f.probe, &f.name, &f.unit, NULL});
		f.before = statement_take_real(s);
		f.after = statement_take_real(s);
		status = visit(user, &f, e);
	}
	return status;
}

enum asc_status db_each_metric_change(struct db *d, int64_t before_trial, int64_t after_trial,
				      db_metric_change_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_history_metric_changes);
	statement_set_int(&s, ":before", before_trial);
	statement_set_int(&s, ":after", after_trial);
	return visit_changes(&s, visit, user, e);
}

enum asc_status db_each_reading_change(struct db *d, const char *implementation,
				       const struct db_profiled *before,
				       const struct db_profiled *after, db_metric_change_fn *visit,
				       void *user, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_history_reading_changes);
	statement_set_text(&s, ":implementation", implementation);
	statement_set_int(&s, ":before_run", before->run_id);
	statement_set_text(&s, ":before_config", before->config_key);
	statement_set_int(&s, ":after_run", after->run_id);
	statement_set_text(&s, ":after_config", after->config_key);
	return visit_changes(&s, visit, user, e);
}

enum asc_status db_each_metric(struct db *d, int64_t trial_id, db_metric_fn *visit, void *user,
			       struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_history_metrics);
	statement_set_int(&s, ":trial_id", trial_id);
	while (statement_next(&s, &status, e)) {
		struct db_metric m;

		statement_take_texts(&s, (const char **const[]){&m.probe, &m.name, NULL});
		m.value = statement_take_real(&s);
		status = visit(user, &m, e);
	}
	return status;
}

/* ---- acknowledgements ---- */

enum asc_status db_acknowledge(struct db *d, const struct db_acknowledgement *a, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_acknowledge);
	statement_set_text(&s, ":series", a->series);
	statement_set_int(&s, ":since_ms", a->since_ms);
	statement_set_text(&s, ":reason", a->reason);
	statement_set_text(&s, ":who", a->who);
	statement_set_int(&s, ":made_ms", a->made_ms);
	statement_set_int(&s, ":until_ms", a->until_ms);
	return statement_run(&s, e);
}

enum asc_status db_forget_acknowledgements(struct db *d, const char *series, int64_t *n,
					   struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, sql_count_acknowledgements);
	statement_set_text(&s, ":series", series);
	if (statement_run_int(&s, n, &found, e))
		return e->status;
	statement_begin(&s, d, sql_forget_acknowledgements);
	statement_set_text(&s, ":series", series);
	return statement_run(&s, e);
}

enum asc_status db_each_acknowledgement(struct db *d, db_acknowledgement_fn *visit, void *user,
					struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_history_acknowledgements);
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
