#include "db/answer_rows.h"

#include "db/connection.h"
#include "db/statement.h"

/* ---- reading ---- */

#define ANSWERS                                                                                    \
	"WITH" DB_MACHINES                                                                         \
	" SELECT a.device_id, a.problem_id, a.cache_policy, a.simulated, a.own,"                   \
	"  a.implementation_id, a.failed, a.trial_id, coalesce(a.final_run_id, 0), a.sure,"        \
	"  a.noise_pct, a.n_ties, a.ties_json, a.default_ns, a.vs_default, a.default_key,"         \
	"  a.baseline_ns, a.vs_baseline, a.baseline, a.trials, a.ok_trials, a.newest,"             \
	"  w.name, p.name, p.key, v.kind, v.model, v.fingerprint, x.machine, i.name"               \
	" FROM answer a LEFT JOIN device v ON v.id = a.device_id"                                  \
	" LEFT JOIN machines x ON x.device_id = a.device_id"                                       \
	" LEFT JOIN problem p ON p.id = a.problem_id LEFT JOIN workload w ON w.id = p.workload_id" \
	" LEFT JOIN implementation i ON i.id = a.implementation_id"

void answer_rows_begin(struct statement *s, struct db *d, const char *workload)
{
	statement_begin(s, d, ANSWERS " WHERE ?1 IS NULL OR w.name = ?1");
	statement_bind_text(s, workload);
}

void answer_rows_begin_of(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	statement_begin(s, d, ANSWERS " WHERE a.device_id = ?1 AND a.problem_id = ?2");
	statement_bind_int(s, device_id);
	statement_bind_int(s, problem_id);
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
	out->baseline_ns = statement_take_real(s);
	out->vs_baseline = statement_take_real(s);
	out->baseline = statement_take_text(s);
	out->trials = statement_take_int(s);
	out->ok_trials = statement_take_int(s);
	out->newest = statement_take_int(s);
}

void answer_rows_begin_stale(struct statement *s, struct db *d, const char *workload)
{
	statement_begin(s, d,
			"SELECT device_id, problem_id FROM stale WHERE ?1 IS NULL OR problem_id IN"
			" (SELECT p.id FROM problem p JOIN workload w ON w.id = p.workload_id"
			"  WHERE w.name = ?1)");
	statement_bind_text(s, workload);
}

void answer_rows_begin_stale_of(struct statement *s, struct db *d, int64_t device_id,
				int64_t problem_id)
{
	statement_begin(s, d,
			"SELECT device_id, problem_id FROM stale"
			" WHERE device_id = ?1 AND problem_id = ?2");
	statement_bind_int(s, device_id);
	statement_bind_int(s, problem_id);
}

/* ---- writing ---- */

static enum asc_status run_of(struct db *d, const char *sql, int64_t device_id, int64_t problem_id,
			      struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql);
	statement_bind_int(&s, device_id);
	statement_bind_int(&s, problem_id);
	return statement_run(&s, e);
}

static enum asc_status add(struct db *d, const struct answer_row *a, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"INSERT INTO answer(device_id, problem_id, cache_policy, simulated, own,"
			" implementation_id, failed, trial_id, final_run_id, sure, noise_pct,"
			" n_ties, ties_json, default_ns, vs_default, default_key, baseline_ns,"
			" vs_baseline, baseline, trials, ok_trials, newest)"
			" VALUES(?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?,"
			" ?, ?, ?, ?)");
	statement_bind_int(&s, a->device_id);
	statement_bind_int(&s, a->problem_id);
	statement_bind_text(&s, a->cache_policy);
	statement_bind_int(&s, a->simulated);
	statement_bind_int(&s, a->own);
	statement_bind_int(&s, a->implementation_id);
	statement_bind_int(&s, a->failed);
	statement_bind_int(&s, a->trial_id);
	statement_bind_int(&s, a->final_run_id);
	statement_bind_text(&s, a->sure);
	statement_bind_real(&s, a->noise_pct);
	statement_bind_int(&s, a->n_ties);
	statement_bind_text(&s, a->ties_json);
	statement_bind_real(&s, a->default_ns);
	statement_bind_real(&s, a->vs_default);
	statement_bind_text(&s, a->default_key);
	statement_bind_real(&s, a->baseline_ns);
	statement_bind_real(&s, a->vs_baseline);
	statement_bind_text(&s, a->baseline);
	statement_bind_int(&s, a->trials);
	statement_bind_int(&s, a->ok_trials);
	statement_bind_int(&s, a->newest);
	return statement_run(&s, e);
}

enum asc_status answer_rows_replace(struct db *d, int64_t device_id, int64_t problem_id,
				    const struct answer_row *const *rows, size_t n,
				    struct asc_err *e)
{
	enum asc_status status =
		run_of(d, "DELETE FROM answer WHERE device_id = ?1 AND problem_id = ?2", device_id,
		       problem_id, e);

	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = add(d, rows[i], e);
	if (status == ASC_OK)
		status = run_of(d, "DELETE FROM stale WHERE device_id = ?1 AND problem_id = ?2",
				device_id, problem_id, e);
	return status;
}
