#include "db/run_view.h"

#include <math.h>

#include "db/connection.h"
#include "db/sample_blob.h"
#include "db/statement.h"

/* ---- which runs ---- */

/* One pass over the trials, and of all runs only numbers are sorted. A run's trials lie between its
 * first and last, so that asking for them needs no index. */
static const char each_newest_run[] =
	"WITH" DB_MACHINES ", counted AS MATERIALIZED ("
	" SELECT run_id, count(*) AS n, sum(status = 'ok') AS ok, min(id) AS first, max(id) AS last"
	" FROM trial GROUP BY run_id),"
	" places AS MATERIALIZED ("
	" SELECT u.device_id, u.problem_id, u.cache_policy, u.simulated, dense_rank() OVER ("
	"   ORDER BY u.simulated, v.kind, v.model, x.machine, w.name, p.name, u.cache_policy"
	"  ) AS place"
	" FROM (SELECT DISTINCT device_id, problem_id, cache_policy, simulated FROM run) u"
	" JOIN device v ON v.id = u.device_id JOIN machines x ON x.device_id = v.id"
	" JOIN problem p ON p.id = u.problem_id JOIN workload w ON w.id = p.workload_id),"
	" placed AS MATERIALIZED ("
	" SELECT c.*, row_number() OVER s AS age, lead(c.run_id) OVER s AS before_id,"
	"  lead(c.first) OVER s AS before_first, lead(c.last) OVER s AS before_last,"
	"  count(*) OVER (PARTITION BY l.place) AS runs"
	" FROM counted c JOIN run r ON r.id = c.run_id"
	" JOIN places l ON l.device_id = r.device_id AND l.problem_id = r.problem_id"
	"  AND l.cache_policy IS r.cache_policy AND l.simulated = r.simulated"
	" WINDOW s AS (PARTITION BY l.place ORDER BY " DB_SEARCHED
	" DESC, r.started_ms DESC, r.id DESC))"
	" SELECT w.name, w.operator, p.name, p.key, v.kind, v.model, v.machine, v.arch, v.driver,"
	"  v.clock, r.cache_policy, r.strategy, r.budget, r.version, r.outcome, r.baseline,"
	"  r.workload_file,"
	"  r.id, x.first, x.last, coalesce(x.before_id, 0), coalesce(x.before_first, 0),"
	"  coalesce(x.before_last, 0), x.runs - 1, r.started_ms, coalesce(r.ended_ms, 0),"
	"  x.n, x.ok,"
	"  coalesce(json_extract(r.steady_json, '$.samples'), 0),"
	"  coalesce(json_extract(r.steady_json, '$.load'), 0)"
	"   + coalesce(json_extract(r.steady_json, '$.clock'), 0), r.simulated, r.imported,"
	"  coalesce(p.flops, 0), coalesce(p.bytes, 0), v.fingerprint, p.element"
	" FROM placed x JOIN run r ON r.id = x.run_id JOIN device v ON v.id = r.device_id"
	" JOIN problem p ON p.id = r.problem_id JOIN workload w ON w.id = p.workload_id"
	" WHERE x.age = 1"
	" ORDER BY r.simulated, r.started_ms DESC, r.id DESC";

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

	statement_begin(&s, d, each_newest_run);
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

/* ---- what a run tried ---- */

static void bind_range(struct statement *s, const struct db_run_range *r)
{
	statement_bind_int(s, r->run_id);
	statement_bind_int(s, r->first_trial);
	statement_bind_int(s, r->last_trial);
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

	statement_begin(&s, d,
			"SELECT t.id, t.implementation_id, i.name, t.config_json, t.config_key,"
			" t.status, t.is_default,"
			" t.cached, t.recorded_ms, t.build_ns, t.load_ns, t.verify_ns,"
			" t.measure_ns, t.median_ns, t.low_ns, t.high_ns FROM trial t"
			" JOIN implementation i ON i.id = t.implementation_id"
			" WHERE +t.run_id = ?1 AND t.id BETWEEN ?2 AND ?3 ORDER BY t.id");
	bind_range(&s, r);
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
}

enum asc_status db_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit, void *user,
				  struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT i.id, i.name, f.config_key, coalesce((SELECT max(t.id) FROM trial t"
			"  WHERE t.run_id = f.run_id AND t.implementation_id = f.implementation_id"
			"   AND t.config_hash = f.config_hash AND t.config_key = f.config_key), 0),"
			" f.standing, f.winner, EXISTS"
			"  (SELECT 1 FROM trial t WHERE t.is_default"
			"   AND t.implementation_id = f.implementation_id"
			"   AND t.config_hash = f.config_hash AND t.config_key = f.config_key),"
			" f.ratio, f.ratio_low,"
			" f.ratio_high, f.median_ns, f.low_ns, f.high_ns, f.n_samples,"
			" f.min_ns, f.q1_ns, f.q3_ns, f.max_ns, f.clock_mhz FROM final f"
			" JOIN implementation i ON i.id = f.implementation_id"
			" WHERE f.run_id = ?"
			" ORDER BY f.winner DESC, f.ratio, f.median_ns, f.config_key");
	statement_bind_int(&s, run_id);
	while (statement_next(&s, &status, e)) {
		struct db_run_final f;

		take_final(&s, &f);
		status = visit(user, &f, e);
	}
	return status;
}

static const char each_passed[] =
	"SELECT t.id, t.implementation_id, i.name, t.config_key, t.median_ns,"
	" coalesce(f.winner, -1), f.ratio, f.median_ns"
	" FROM run r JOIN run o ON o.device_id = r.device_id"
	"  AND o.problem_id = r.problem_id AND o.cache_policy IS r.cache_policy"
	" JOIN trial t ON t.run_id = o.id AND t.status = 'ok'"
	" JOIN implementation i ON i.id = t.implementation_id"
	" LEFT JOIN final f ON f.run_id = r.id AND f.config_key = t.config_key"
	"  AND f.implementation_id = t.implementation_id"
	/* The winner may have been tried in an earlier run only. */
	" WHERE r.id = ? AND (o.id = r.id OR (o.id < r.id AND f.winner))";

enum asc_status db_each_passed(struct db *d, int64_t run_id, db_passed_fn *visit, void *user,
			       struct asc_err *e)
{
	struct statement s;
	enum asc_status status;
	bool found;

	statement_begin(&s, d, "SELECT 1 FROM run WHERE id = ?");
	statement_bind_int(&s, run_id);
	status = statement_run_int(&s, &(int64_t){0}, &found, e);
	if (status != ASC_OK || !found)
		return status ? status : db_fail_run(d, run_id, e);
	statement_begin(&s, d, each_passed);
	statement_bind_int(&s, run_id);
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
	statement_begin(&s, d,
			"SELECT f.samples FROM final f JOIN implementation i"
			" ON i.id = f.implementation_id WHERE f.run_id = ? AND i.name = ?"
			" AND f.config_key = ? AND f.samples IS NOT NULL");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	statement_bind_text(&s, config_key);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && found) {
		const void *blob = statement_take_blob(&s, &bytes);

		status = sample_blob_read(blob, bytes, out, n, e);
	}
	statement_end(&s);
	return status;
}

/* ---- covers ---- */

static const char each_cover_cell[] =
	"WITH newest AS MATERIALIZED (SELECT max(r.id) AS run_id FROM run r"
	"  WHERE EXISTS (SELECT 1 FROM final f WHERE f.run_id = r.id)"
	"   AND NOT r.simulated AND NOT r.imported AND " DB_SEARCHED
	"  GROUP BY r.device_id, r.problem_id, r.cache_policy)"
	"SELECT v.model, r.cache_policy, w.name, i.name, f.config_key, p.name, f.ratio, EXISTS"
	"  (SELECT 1 FROM trial t WHERE t.is_default AND t.implementation_id = f.implementation_id"
	"   AND t.config_hash = f.config_hash AND t.config_key = f.config_key),"
	"  r.device_id, r.problem_id, f.implementation_id"
	" FROM run r JOIN final f ON f.run_id = r.id"
	" JOIN implementation i ON i.id = f.implementation_id"
	" JOIN device v ON v.id = r.device_id JOIN problem p ON p.id = r.problem_id"
	" JOIN workload w ON w.id = p.workload_id"
	" WHERE (r.id IN newest OR r.strategy = 'cover' AND NOT r.simulated AND NOT r.imported)"
	"  AND f.ratio > 0"
	" ORDER BY v.model, r.cache_policy, w.name, i.name, f.config_key, p.name, r.id DESC";

enum asc_status db_each_cover_cell(struct db *d, db_cover_cell_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_cover_cell);
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

enum asc_status db_each_run_energy(struct db *d, const struct db_run_range *r,
				   db_run_energy_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT t.id, t.median_ns, m.value * CASE n.unit WHEN 'J' THEN 1"
			"  WHEN 'mJ' THEN 1e-3 WHEN 'uJ' THEN 1e-6 ELSE 1e-9 END"
			" FROM metric_name n JOIN trial t JOIN metric m ON m.trial_id = t.id"
			"  AND m.name_id = n.id"
			" WHERE n.unit IN ('J', 'mJ', 'uJ', 'nJ') AND +t.run_id = ?1"
			"  AND t.id BETWEEN ?2 AND ?3 AND t.status = 'ok' AND t.median_ns > 0"
			"  AND m.value > 0 ORDER BY t.id, n.id");
	bind_range(&s, r);
	while (statement_next(&s, &status, e)) {
		const int64_t id = statement_take_int(&s);
		const double ns = statement_take_real(&s);

		status = visit(user, id, ns, statement_take_real(&s), e);
	}
	return status;
}
