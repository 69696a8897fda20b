#include "db/db.h"

#include "db/connection.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/model/roofline.h"

#define FIELD(name, kind, member)                                                                  \
	{                                                                                          \
		name, offsetof(struct db_best, member), DB_FIELD_##kind, false, false              \
	}
#define DERIVED(name, kind, member)                                                                \
	{                                                                                          \
		name, offsetof(struct db_best, member), DB_FIELD_##kind, true, false               \
	}

/* In the order of the columns that db_each_best asks for, but for those that are derived. */
const struct db_field db_best_fields[] = {
	FIELD("workload", TEXT, workload),
	FIELD("operator", TEXT, operator_name),
	FIELD("problem", TEXT, problem),
	FIELD("problem_values", JSON, dims_json),
	FIELD("device_kind", TEXT, device_kind),
	FIELD("device_model", TEXT, device_model),
	FIELD("device_arch", TEXT, device_arch),
	FIELD("device_fingerprint", TEXT, device_fingerprint),
	FIELD("clock", TEXT, clock),
	FIELD("cache_policy", TEXT, cache_policy),
	FIELD("implementation", TEXT, implementation),
	FIELD("implementation_index", INT, implementation_index),
	FIELD("config", JSON, config_json),
	FIELD("config_key", TEXT, config_key),
	FIELD("rewrites", JSON, rewrites_json),
	FIELD("median_ns", REAL, median_ns),
	FIELD("q1_ns", REAL, q1_ns),
	FIELD("q3_ns", REAL, q3_ns),
	FIELD("min_ns", REAL, min_ns),
	FIELD("max_ns", REAL, max_ns),
	FIELD("low_ns", REAL, low_ns),
	FIELD("high_ns", REAL, high_ns),
	FIELD("n_samples", INT, n_samples),
	FIELD("clock_mhz", AMOUNT, clock_mhz),
	FIELD("ties", JSON, ties_json),
	FIELD("default_ns", AMOUNT, default_ns),
	FIELD("baseline", TEXT, baseline),
	FIELD("baseline_ns", AMOUNT, baseline_ns),
	FIELD("vs_baseline", AMOUNT, vs_baseline),
	FIELD("flops", AMOUNT, flops),
	FIELD("bytes", AMOUNT, bytes),
	FIELD("max_abs_error", REAL, max_abs_error),
	FIELD("trials", INT, trials),
	FIELD("ok_trials", INT, ok_trials),
	FIELD("run_id", INT, run_id),
	FIELD("trial_id", INT, trial_id),
	FIELD("recorded_at", TEXT, recorded_at),
	FIELD("peak_flops", AMOUNT, peak_flops),
	FIELD("peak_bandwidth", AMOUNT, peak_bandwidth),
	DERIVED("attainable_flops", AMOUNT, attainable_flops),
	DERIVED("attainable_part", AMOUNT, attainable_part),
	DERIVED("bound", TEXT, bound),
	{0},
};

/* Default configuration and baseline are best compared in the rounds of the same finals, else
 * within the run of the best one; a resumed run has measured them earlier. */
static const char each_best[] =
	"WITH counts AS ("
	" SELECT c.device_id, c.problem_id, r.cache_policy, count(*) AS trials,"
	"  sum(status = 'ok') AS ok_trials"
	" FROM current c JOIN trial t ON t.implementation_id = c.implementation_id"
	" JOIN run r ON r.id = t.run_id AND NOT r.simulated"
	"  AND r.device_id = c.device_id AND r.problem_id = c.problem_id"
	" GROUP BY c.device_id, c.problem_id, r.cache_policy),"
	" baselines AS ("
	" SELECT b.trial_id AS best_id, own.baseline,"
	"  coalesce((SELECT min(n.median_ns) FROM final n WHERE n.run_id = b.final_run_id"
	"   AND n.implementation_id = i.id), t.median_ns) AS baseline_ns,"
	"  row_number() OVER (PARTITION BY b.trial_id"
	"   ORDER BY r.id = own.id DESC, t.median_ns) AS place"
	" FROM best b JOIN run own ON own.id = b.run_id"
	" JOIN implementation i ON i.name = own.baseline"
	" JOIN current c ON c.implementation_id = i.id"
	"  AND c.device_id = b.device_id AND c.problem_id = b.problem_id"
	" JOIN trial t ON t.implementation_id = i.id AND t.status = 'ok'"
	" JOIN run r ON r.id = t.run_id AND NOT r.simulated"
	"  AND r.device_id = b.device_id AND r.problem_id = b.problem_id"
	"  AND r.cache_policy IS own.cache_policy)"
	" SELECT workload, operator, problem, dims_json,"
	"  device_kind, device_model, device_arch, device_fingerprint, clock, b.cache_policy,"
	"  implementation, implementation_index, config_json, config_key,"
	"  (SELECT coalesce(rewrites_json, '[]') FROM trial t WHERE t.id = b.trial_id),"
	"  median_ns, q1_ns, q3_ns, min_ns, max_ns, low_ns, high_ns, n_samples,"
	"  coalesce((SELECT n.clock_mhz FROM final n WHERE n.run_id = b.final_run_id AND n.winner),"
	"   (SELECT t.clock_mhz FROM trial t WHERE t.id = b.trial_id), 0),"
	"  (SELECT json_group_array(json_object('implementation', i.name, 'config_key', "
	"n.config_key,"
	"    'ratio', n.ratio, 'low', n.ratio_low, 'high', n.ratio_high,"
	"    'winner', json(iif(n.winner, 'true', 'false'))))"
	"   FROM (SELECT n.* FROM final n JOIN implementation i ON i.id = n.implementation_id"
	"    WHERE n.run_id = b.final_run_id AND n.tied ORDER BY i.name, i.idx, n.config_key) n"
	"   JOIN implementation i ON i.id = n.implementation_id),"
	"  coalesce((SELECT n.median_ns FROM final n JOIN trial t ON t.is_default"
	"   AND t.implementation_id = n.implementation_id AND t.config_hash = n.config_hash"
	"   AND t.config_key = n.config_key WHERE n.run_id = b.final_run_id"
	"   AND n.implementation_id = b.implementation_id LIMIT 1),"
	"  (SELECT median_ns FROM ("
	"   SELECT t.median_ns, t.recorded_ms, t.id, t.run_id = b.run_id AS same_run"
	"   FROM trial t JOIN run r ON r.id = t.run_id"
	"   WHERE t.implementation_id = b.implementation_id AND t.is_default"
	"   AND t.status = 'ok' AND NOT r.simulated"
	"   AND r.device_id = b.device_id AND r.problem_id = b.problem_id"
	"   AND r.cache_policy IS b.cache_policy)"
	"   ORDER BY same_run DESC, recorded_ms DESC, id DESC LIMIT 1), 0),"
	"  (SELECT baseline FROM run WHERE run.id = b.run_id),"
	"  coalesce(baseline_ns, 0), coalesce(baseline_ns / median_ns, 0),"
	"  b.flops, bytes, max_abs, trials, ok_trials, run_id, trial_id, recorded_at,"
	"  " DB_PEAK_FLOPS(
		"b.device_id",
		"b.problem_id") ","
				"  " DB_PEAK_BANDWIDTH(
					"b.device_id") " FROM best b JOIN counts c ON c.device_id "
						       "= b.device_id AND c.problem_id = "
						       "b.problem_id"
						       "  AND c.cache_policy IS b.cache_policy"
						       " LEFT JOIN baselines l ON l.best_id = "
						       "b.trial_id AND l.place = 1"
						       " WHERE ?1 IS NULL OR workload = ?1"
						       " ORDER BY workload, problem, device_kind, "
						       "device_model, device_fingerprint,"
						       "  (SELECT key FROM problem p WHERE p.id = "
						       "b.problem_id), b.cache_policy";

enum asc_status db_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				struct buf *config, double *median_ns, bool *found,
				struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"SELECT t.config_key, t.median_ns FROM run own"
			" JOIN implementation i ON i.name = ?2"
			" JOIN current c ON c.implementation_id = i.id"
			"  AND c.device_id = own.device_id AND c.problem_id = own.problem_id"
			" JOIN trial t ON t.implementation_id = i.id AND t.status = 'ok'"
			" JOIN run r ON r.id = t.run_id AND NOT r.simulated"
			"  AND r.device_id = own.device_id AND r.problem_id = own.problem_id"
			"  AND r.cache_policy IS own.cache_policy"
			" WHERE own.id = ?1 ORDER BY t.median_ns, t.id DESC LIMIT 1");
	statement_bind_int(&s, run_id);
	statement_bind_text(&s, implementation);
	enum asc_status status = statement_step(&s, found, e);
	if (status == ASC_OK && *found) {
		buf_add_str(config, statement_take_text(&s));
		*median_ns = statement_take_real(&s);
		status = buf_check(config, e);
	}
	statement_end(&s);
	return status;
}

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

static void take_row(struct statement *s, struct db_best *row)
{
	struct roofline r;

	for (const struct db_field *f = db_best_fields; f->name; f++)
		if (!f->derived)
			db_take_field(s, f, row);
	const struct peaks peaks = {.arithmetic.rate = row->peak_flops,
				    .memory.rate = row->peak_bandwidth};

	(void)roofline_place(&peaks, row->flops, row->bytes, row->median_ns, &r);
	row->attainable_flops = r.attainable;
	row->attainable_part = r.part;
	row->bound = r.bound;
}

enum asc_status db_each_best(struct db *d, const char *workload, db_best_fn *visit, void *user,
			     struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_best);
	statement_bind_text(&s, workload);
	while (statement_next(&s, &status, e)) {
		struct db_best best = {0};

		take_row(&s, &best);
		status = visit(user, &best, e);
	}
	statement_end(&s);
	return status;
}
