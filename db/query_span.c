#include "db/run_span.h"

#include <stdlib.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/sql.h"
#include "db/statement.h"

/* ---- which runs ---- */

enum asc_status db_each_spanned_run(struct db *d, int64_t run_id, bool simulated,
				    db_spanned_run_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_spanned_runs);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":simulated", simulated);
	while (statement_next(&s, &status, e)) {
		struct db_spanned_run r = {.id = statement_take_int(&s)};

		r.started_ms = statement_take_int(&s);
		statement_take_texts(&s,
				     (const char **const[]){&r.workload, &r.problem, &r.device_kind,
							    &r.device_model, &r.cache_policy,
							    &r.chosen_implementation,
							    &r.chosen_config_key, NULL});
		r.has_finals = statement_take_int(&s);
		r.finals_begin_ns = statement_take_int(&s);
		r.finals_ns = statement_take_int(&s);
		r.finalists = statement_take_int(&s);
		status = visit(user, &r, e);
	}
	return status;
}

/* ---- their trials ---- */

/* Takes begins and ends, a heap array. */
static enum asc_status take_builds(struct statement *s, int64_t trial_id, int64_t **out, size_t *n,
				   struct asc_err *e)
{
	size_t bytes, times;
	const void *data = statement_take_blob(s, &bytes);

	if (sample_blob_read(data, bytes, out, &times, e))
		return asc_err_wrap(e, "%s: builds of trial %lld", s->db->path,
				    (long long)trial_id);
	*n = times / 2;
	return ASC_OK;
}

static enum asc_status take_trial(struct statement *s, db_spanned_trial_fn *visit, void *user,
				  struct asc_err *e)
{
	struct db_spanned_trial t = {.id = statement_take_int(s)};
	int64_t *builds = NULL;

	statement_take_texts(
		s, (const char **const[]){&t.implementation, &t.config_key, &t.status, NULL});
	t.worked = !statement_next_is_null(s);
	t.begin_ns = statement_take_int(s);
	for (size_t i = 0; i < PHASE_COUNT; i++)
		t.spent_ns[i] = statement_take_int(s);
	if (take_builds(s, t.id, &builds, &t.n_builds, e))
		return e->status;
	t.builds = builds;
	const enum asc_status status = visit(user, &t, e);

	free(builds);
	return status;
}

enum asc_status db_each_spanned_trial(struct db *d, int64_t run_id, db_spanned_trial_fn *visit,
				      void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_spanned_trials);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e))
		status = take_trial(&s, visit, user, e);
	return status;
}
