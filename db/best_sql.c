#include "db/best_sql.h"

#include "db/connection.h"
#include "tuner/base/buf.h"
#include "tuner/result/tie.h"

/* Configurations tried, and those that passed and were not withdrawn since, by subject and by
 * `own`, the implementation that the answer is the best of (0: of all). */
#define COUNTS                                                                                     \
	"WITH" DB_MACHINES ", tried AS ("                                                          \
	" SELECT r.device_id, r.problem_id, r.cache_policy, t.implementation_id, t.config_hash,"   \
	"  t.config_key, max(status = 'ok') AS ok"                                                 \
	" FROM run r CROSS JOIN trial t ON t.run_id = r.id"                                        \
	" WHERE NOT r.imported AND (?3 = 0 OR r.problem_id = ?3)"                                  \
	"  AND (r.device_id, r.problem_id, t.implementation_id) IN"                                \
	"  (SELECT device_id, problem_id, implementation_id FROM current)"                         \
	" GROUP BY t.config_hash, r.problem_id, r.device_id, t.implementation_id, t.config_key, "  \
	"r.cache_policy), counts AS ("                                                             \
	" SELECT device_id, problem_id, cache_policy, %s AS own, count(*) AS trials,"              \
	"  sum(ok AND NOT EXISTS (SELECT 1 FROM withdrawn w"                                       \
	"   WHERE w.implementation_id = x.implementation_id AND w.config_hash = x.config_hash"     \
	"    AND w.config_key = x.config_key AND w.device_id = x.device_id"                        \
	"    AND w.problem_id = x.problem_id)) AS ok_trials"                                       \
	" FROM tried x GROUP BY 1, 2, 3, 4)"

/* Time of a finalist as a multiple of the answer's: the median over the rounds of both where finals
 * were held, in which both are compared with the chosen one, else of the medians. */
#define RATIO(which, ns)                                                                           \
	" coalesce((SELECT n.ratio / c.ratio FROM final c JOIN final n ON n.run_id = c.run_id"     \
	"   JOIN implementation i ON i.id = n.implementation_id"                                   \
	"   WHERE c.rowid = b.final_id AND " which " LIMIT 1), " ns " / median_ns, 0)"

#define DEFAULT_RATIO                                                                              \
	RATIO("n.implementation_id = b.implementation_id AND n.config_key = b.default_key",        \
	      "default_ns")
#define BASELINE_RATIO RATIO("i.name = b.baseline AND n.median_ns = b.baseline_ns", "baseline_ns")

#define RENAMED(id, name, recorded) " WHEN '" recorded "' THEN '" name "'"

/* The rows: all that is told of each of `answers`, which are those of a view with `own`, `failed`
 * and `older`. */
static const char rows[] =
	" SELECT workload, operator, problem, dims_json,"
	"  device_kind, device_model, device_arch, device_fingerprint,"
	"  (SELECT driver FROM device v WHERE v.id = b.device_id), older, clock,"
	"  b.cache_policy, implementation, implementation_index, config_json, config_key,"
	"  (SELECT coalesce(rewrites_json, '[]') FROM trial t WHERE t.id = b.trial_id),"
	"  median_ns, q1_ns, q3_ns, min_ns, max_ns, low_ns, high_ns, n_samples,"
	"  coalesce((SELECT n.clock_mhz FROM final n WHERE n.rowid = b.final_id),"
	"   (SELECT t.clock_mhz FROM trial t WHERE t.id = b.trial_id), 0),"
	"  (SELECT json_group_array(json_object('implementation', i.name, 'config_key',"
	"    n.config_key, 'ratio', n.ratio, 'low', n.ratio_low, 'high', n.ratio_high,"
	"    'standing', CASE n.standing" STANDING_LIST(
		RENAMED) " ELSE n.standing END,"
			 "    'winner', json(iif(n.chosen, "
			 "'true', 'false'))))"
			 "   FROM (SELECT *, final_id = b.final_id AS chosen FROM standing"
			 "     WHERE run_id = b.final_run_id AND (standing <> 'slower' OR final_id "
			 "= b.final_id)"
			 "      AND b.own IN (0, implementation_id)"
			 "     ORDER BY chosen DESC, ratio, config_key) n"
			 "   JOIN implementation i ON i.id = n.implementation_id),"
			 "  b.sure, coalesce(b.noise_pct, 0), 1, coalesce(default_ns, 0), "
			 "default_key," DEFAULT_RATIO
			 ", baseline, coalesce(baseline_ns, 0)," BASELINE_RATIO
			 ",  b.flops, bytes, max_abs, " DB_METRICS_JSON(
				 "b.trial_id") ", trials, ok_trials, run_id, trial_id, "
					       "recorded_at, "
					       "coalesce(b.final_run_id, 0),"
					       "  (SELECT w.export_json FROM workload w JOIN "
					       "problem p"
					       "   ON p.workload_id = w.id WHERE p.id = "
					       "b.problem_id),"
					       "  (SELECT p.kinds_json FROM problem p WHERE p.id = "
					       "b.problem_id),"
					       "  (SELECT p.element FROM problem p WHERE p.id = "
					       "b.problem_id),"
					       "  (SELECT i.source_digest FROM implementation i"
					       "   WHERE i.id = b.implementation_id), b.own, "
					       "b.failed"
					       " FROM answers b JOIN counts c ON c.device_id = "
					       "b.device_id"
					       "  AND c.problem_id = b.problem_id AND "
					       "c.cache_policy IS "
					       "b.cache_policy AND c.own = b.own"
					       " WHERE NOT older OR ?2"
					       " ORDER BY workload, problem, device_kind, "
					       "device_model, older, "
					       "device_fingerprint,"
					       "  (SELECT key FROM problem p WHERE p.id = "
					       "b.problem_id), "
					       "b.cache_policy, implementation";

/* `found`: the rows of the view, and what passed last of subjects that have no answer any more,
 * since all that passed was withdrawn: the winner of the finals or the fastest of the newest run in
 * which one of the current content passed to its end, which is compared with nothing. */
#define FOUND                                                                                      \
	", found AS MATERIALIZED (SELECT *, 0 AS failed FROM %s"                                   \
	" WHERE simulated = ?4 AND (?1 IS NULL OR workload = ?1)), best_or_last AS ("              \
	"SELECT * FROM found UNION ALL SELECT"
static const char last[] =
	", NULL, NULL, r.baseline, NULL, 1"
	" FROM (SELECT DISTINCT o.device_id, o.problem_id, o.cache_policy, o.simulated, ";
static const char last_trial[] =
	" AS own FROM run o JOIN run_implementation x ON x.run_id = o.id WHERE NOT o.imported) s"
	" JOIN trial t ON t.id = (SELECT t.id FROM run r CROSS JOIN trial t ON t.run_id = r.id"
	"  LEFT JOIN final f ON f.run_id = r.id AND f.winner"
	"   AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key"
	"  WHERE r.device_id = s.device_id AND r.problem_id = s.problem_id"
	"   AND r.cache_policy IS s.cache_policy AND NOT r.imported"
	"   AND (r.device_id, r.problem_id, t.implementation_id) IN"
	"    (SELECT device_id, problem_id, implementation_id FROM current)"
	"   AND t.status = 'ok' AND t.median_ns IS NOT NULL AND s.own IN (0, t.implementation_id)"
	"   AND NOT EXISTS (SELECT 1 FROM trial n INDEXED BY trial_failed"
	"    WHERE n.implementation_id = t.implementation_id AND n.config_hash = t.config_hash"
	"     AND n.status IN ('wrong', 'crashed', 'timeout') AND n.run_id = r.id"
	"     AND n.config_key = t.config_key AND n.id > t.id)"
	"  ORDER BY r.started_ms DESC, r.id DESC, f.winner IS NULL, t.median_ns LIMIT 1)"
	" JOIN run r ON r.id = t.run_id"
	" LEFT JOIN final f ON f.run_id = t.run_id AND f.winner"
	"  AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key"
	" LEFT JOIN run h ON h.id = f.run_id"
	" JOIN implementation i ON i.id = t.implementation_id"
	" JOIN device d ON d.id = s.device_id JOIN problem p ON p.id = s.problem_id"
	" JOIN workload w ON w.id = p.workload_id"
	" WHERE s.simulated = ?4 AND (?1 IS NULL OR w.name = ?1) AND NOT EXISTS"
	"  (SELECT 1 FROM found g WHERE g.device_id = s.device_id AND g.problem_id = s.problem_id"
	"   AND g.cache_policy IS s.cache_policy AND s.own IN (0, g.implementation_id)))";

/* `older`: under another driver the machine has an answer to the same question, of a newer run (by
 * time in ms, then by number), or had one that fails now. */
#define ANSWERS                                                                                    \
	", answers AS MATERIALIZED (SELECT b.*, %s AS own, row_number() OVER"                      \
	" (PARTITION BY b.device_kind, b.device_model, m.machine, b.workload, b.problem,"          \
	"  b.cache_policy, iif(%s, b.implementation, '') ORDER BY"                                 \
	"  (SELECT max((r.started_ms << 20) + (r.id & 0xfffff)) FROM run r"                        \
	"   WHERE r.device_id = b.device_id AND r.problem_id = b.problem_id"                       \
	"    AND r.cache_policy IS b.cache_policy AND NOT r.imported) DESC) > 1 AS older"          \
	" FROM best_or_last b JOIN machines m ON m.device_id = b.device_id)"

/* Constants narrow the view to one subject before it is worked out; a join would not. */
static const char answer_of_subject[] =
	", answers AS MATERIALIZED (SELECT b.*, 0 AS failed, 0 AS own, 0 AS older"
	" FROM any_compared b WHERE b.device_id = ?1 AND b.problem_id = ?3"
	" AND b.cache_policy IS ?4)";

void best_sql_add_each(struct buf *out, bool of_implementations)
{
	const char *own = of_implementations ? "implementation_id" : "0";

	buf_print(out, COUNTS, own);
	buf_print(out, FOUND, of_implementations ? "any_implementation_compared" : "any_compared");
	buf_add_str(out, DB_BEST_COLUMNS);
	buf_add_str(out, last);
	buf_add_str(out, own);
	buf_add_str(out, last_trial);
	buf_print(out, ANSWERS, own, own);
	buf_add_str(out, rows);
}

void best_sql_add_subject(struct buf *out)
{
	buf_print(out, COUNTS, "0");
	buf_add_str(out, answer_of_subject);
	buf_add_str(out, rows);
}
