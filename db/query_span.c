#include "db/run_span.h"

#include <stdlib.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/statement.h"

/* ---- which runs ---- */

#define IS_SPANNED                                                                                 \
	"EXISTS (SELECT 1 FROM trial t WHERE t.run_id = r.id"                                      \
	"  AND (t.begin_ns IS NOT NULL OR t.builds IS NOT NULL))"

static const char each_spanned_run[] =
	"SELECT r.id, r.started_ms, w.name, p.name, v.kind, v.model, r.cache_policy, i.name,"
	" f.config_key, r.finals_ns IS NOT NULL, r.finals_begin_ns, r.finals_ns,"
	" (SELECT count(*) FROM final f WHERE f.run_id = r.id)"
	" FROM (SELECT r.*, row_number() OVER (PARTITION BY p.workload_id, p.name, r.device_id,"
	"   r.cache_policy ORDER BY r.started_ms DESC, r.id DESC) AS age"
	"  FROM run r JOIN problem p ON p.id = r.problem_id"
	"  WHERE r.simulated = ?2 AND " IS_SPANNED ") r"
	" JOIN device v ON v.id = r.device_id JOIN problem p ON p.id = r.problem_id"
	" JOIN workload w ON w.id = p.workload_id"
	" LEFT JOIN final f ON f.rowid = (SELECT min(rowid) FROM final WHERE run_id = r.id AND "
	"winner)"
	" LEFT JOIN implementation i ON i.id = f.implementation_id"
	" WHERE iif(?1 = 0, r.age = 1, r.id = ?1) ORDER BY r.started_ms, r.id";

enum asc_status db_each_spanned_run(struct db *d, int64_t run_id, bool simulated,
				    db_spanned_run_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_spanned_run);
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, simulated);
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

	statement_begin(&s, d,
			"SELECT t.id, i.name, t.config_key, t.status, t.begin_ns, t.build_ns,"
			" t.load_ns, t.verify_ns, t.measure_ns, t.builds FROM trial t"
			" JOIN implementation i ON i.id = t.implementation_id"
			" WHERE t.run_id = ? AND (t.begin_ns IS NOT NULL OR t.builds IS NOT NULL)"
			" ORDER BY t.id");
	statement_bind_int(&s, run_id);
	while (statement_next(&s, &status, e))
		status = take_trial(&s, visit, user, e);
	return status;
}
