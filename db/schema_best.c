#include "db/migrate.h"

#include <stddef.h>

#include "db/connection.h"

/* Standing of a finalist beside the chosen one, in the words of result/tie.h. */
static const char final_standing[] = "ALTER TABLE final ADD COLUMN standing TEXT";

/* Sureness of a run's finals, in the words of result/tie.h; NULL: none were held. */
static const char run_sure[] = "ALTER TABLE run ADD COLUMN sure TEXT";
static const char run_noise[] = "ALTER TABLE run ADD COLUMN noise_pct REAL";

/* Weight of a run's finals: 2: they were sure; 1: they were not, or the best on record
 * did not take part and is faster; NULL: no finals. */
static const char run_decided[] = "ALTER TABLE run ADD COLUMN decided INTEGER";

#define DROP(view) ("DROP VIEW IF EXISTS " view)

/* ---- what earlier versions recorded ---- */

/* Standings of earlier versions, whose ratios are to the lowest median. */
static const char old_standings[] =
	"UPDATE final SET standing = CASE WHEN winner THEN 'tied' WHEN NOT tied THEN 'slower'"
	" WHEN ratio_low >= 0.95 AND ratio_high <= 1.1 THEN 'tied' ELSE 'unsure' END";

static const char old_sure[] =
	"UPDATE run SET sure = CASE WHEN EXISTS (SELECT 1 FROM final w JOIN final n"
	"   ON n.run_id = w.run_id AND n.implementation_id = w.implementation_id"
	"    AND n.median_ns * 1.005 < w.median_ns"
	"   WHERE w.run_id = run.id AND w.winner AND (n.implementation_id, n.config_key) IN"
	"    (SELECT implementation_id, config_key FROM trial WHERE is_default)) THEN 'no usable "
	"result'"
	"  WHEN EXISTS (SELECT 1 FROM final n WHERE n.run_id = run.id AND n.standing = 'unsure'"
	"   AND n.ratio_low < 0.95) THEN 'too noisy to rank'"
	"  WHEN (SELECT count(*) FROM final n WHERE n.run_id = run.id AND n.standing <> 'slower')"
	"   > 1 THEN 'tie' ELSE 'clear winner' END,"
	" noise_pct = (SELECT avg(50 * (n.ratio_high - n.ratio_low)) FROM final n"
	"  WHERE n.run_id = run.id AND n.standing <> 'slower' AND NOT n.winner)"
	" WHERE id IN (SELECT run_id FROM final)";

static const char old_decided[] =
	"UPDATE run SET decided = iif(sure IN ('clear winner', 'tie'), 2, 1)"
	" WHERE sure IS NOT NULL";

/* ---- asking ---- */

static const char run_subject[] =
	"CREATE INDEX run_subject ON run(device_id, problem_id, cache_policy, decided, started_ms,"
	" simulated)";

static const char trial_run[] =
	"CREATE INDEX trial_run ON trial(run_id, implementation_id, status)";

/* Problems share configurations: a trial of one is found by the run, too. */
static const char old_trial_config[] = "DROP INDEX IF EXISTS trial_config";
static const char trial_config[] =
	"CREATE INDEX trial_config ON trial(implementation_id, config_hash, run_id)";

static const char trial_failed[] =
	"CREATE INDEX trial_failed ON trial(implementation_id, config_hash)"
	" WHERE status IN ('wrong', 'crashed', 'timeout')";

/* Per device, problem and implementation, by name, the content of the newest run: results of what
 * was edited since are history. */
static const char current[] =
	"CREATE VIEW current AS"
	" SELECT device_id, problem_id, implementation_id FROM ("
	"  SELECT r.device_id, r.problem_id, ri.implementation_id, row_number() OVER ("
	"    PARTITION BY r.device_id, p.workload_id, p.name, i.name"
	"    ORDER BY r.started_ms DESC, r.id DESC) AS place"
	"  FROM run_implementation ri"
	"  JOIN run r ON r.id = ri.run_id AND NOT r.imported"
	"  JOIN problem p ON p.id = r.problem_id"
	"  JOIN implementation i ON i.id = ri.implementation_id)"
	" WHERE place = 1";

/* Trials `t` of configuration `x` in the runs `r` of subject `s`: run by run, however many problems
 * have tried that configuration. */
#define TRIALS_IN(r, t, s, x)                                                                      \
	" FROM run " r " CROSS JOIN trial " t " ON " t ".run_id = " r ".id"                        \
	" WHERE " r ".device_id = " s ".device_id AND " r ".problem_id = " s ".problem_id"         \
	" AND NOT " r ".imported AND " t ".implementation_id = " x ".implementation_id"            \
	" AND " t ".config_hash = " x ".config_hash AND " t ".config_key = " x ".config_key"

/* Configurations that passed once and do not any more: on this device and problem, whatever the
 * cache policy, the newest trial with a verdict is a failure. One row for each such failure. */
static const char withdrawn[] =
	"CREATE VIEW withdrawn AS"
	" SELECT r.device_id, r.problem_id, t.implementation_id, t.config_hash, t.config_key,"
	"  t.id AS trial_id"
	" FROM trial t INDEXED BY trial_failed JOIN run r ON r.id = t.run_id"
	" WHERE t.status IN ('wrong', 'crashed', 'timeout') AND NOT r.imported"
	"  AND NOT EXISTS (SELECT 1" TRIALS_IN(
		"o", "n", "r",
		"t") "   AND n.status = 'ok' AND (n.recorded_ms, n.id) > (t.recorded_ms, t.id))";

/* Finalists that were not withdrawn. */
static const char finalist[] =
	"CREATE VIEW finalist AS"
	" SELECT f.rowid AS final_id, f.*, r.device_id, r.problem_id, r.cache_policy"
	" FROM final f JOIN run r ON r.id = f.run_id"
	" WHERE NOT r.imported AND NOT EXISTS (SELECT 1 FROM withdrawn w"
	"   WHERE w.implementation_id = f.implementation_id AND w.config_hash = f.config_hash"
	"    AND w.config_key = f.config_key AND w.device_id = r.device_id"
	"    AND w.problem_id = r.problem_id)";

/* Finalists that were not withdrawn and have a trial that passed. */
static const char standing[] =
	"CREATE VIEW standing AS SELECT f.* FROM finalist f"
	" WHERE EXISTS (SELECT 1" TRIALS_IN("o", "t", "f", "f") " AND t.status = 'ok')";

/* Condition that finalist `f` has the current content. */
#define CURRENT                                                                                    \
	"(f.device_id, f.problem_id, f.implementation_id) IN"                                      \
	" (SELECT device_id, problem_id, implementation_id FROM today)"

/* Condition that finals `r` have such a finalist. */
#define HAS(such)                                                                                  \
	"EXISTS (SELECT 1 FROM standing f WHERE f.run_id = r.id AND " such " AND " CURRENT ")"

/* Finals of subject `s` for which that holds: decisive ones first, then the newest. */
#define FINALS(that)                                                                               \
	"(SELECT r.id FROM run r WHERE r.device_id = s.device_id AND r.problem_id = s.problem_id"  \
	" AND r.cache_policy IS s.cache_policy AND r.decided > 0 AND NOT r.imported"               \
	" AND " that " ORDER BY r.decided DESC, r.started_ms DESC, r.id DESC LIMIT 1)"

/* Condition that row `x` is of the implementation that subject `s` names. */
#define OWN(x) x ".implementation_id = s.implementation_id"

/* Finals of a subject, those whose winner stands first; and the finalist that they answer with: the
 * winner, else the fastest. */
#define DECIDING "coalesce(" FINALS(HAS("f.winner")) ", " FINALS(HAS("true")) ")"
#define DECIDING_OWN                                                                               \
	"coalesce(" FINALS(HAS("f.winner") " AND " HAS(OWN("f"))) ", " FINALS(HAS(OWN("f"))) ")"
#define CHOSEN(further)                                                                            \
	"(SELECT f.final_id FROM standing f WHERE f.run_id = h.id AND " CURRENT further            \
	" ORDER BY f.winner DESC, f.standing = 'slower', f.median_ns, f.config_key LIMIT 1)"

/* Answer without finals: the ok trial with the lowest median that was not withdrawn. */
#define FASTEST_TRIAL(further)                                                                     \
	"(SELECT t.id FROM run r CROSS JOIN trial t ON t.run_id = r.id"                            \
	" WHERE r.device_id = s.device_id AND r.problem_id = s.problem_id"                         \
	" AND r.cache_policy IS s.cache_policy AND NOT r.imported"                                 \
	" AND (r.device_id, r.problem_id, t.implementation_id) IN"                                 \
	"  (SELECT device_id, problem_id, implementation_id FROM today)"                           \
	" AND t.status = 'ok' AND t.median_ns IS NOT NULL" further " AND NOT EXISTS"               \
	"  (SELECT 1 FROM withdrawn w WHERE w.implementation_id = t.implementation_id"             \
	"   AND w.config_hash = t.config_hash AND w.config_key = t.config_key"                     \
	"   AND w.device_id = s.device_id AND w.problem_id = s.problem_id)"                        \
	" ORDER BY t.median_ns, t.recorded_ms DESC, t.id DESC LIMIT 1)"

/* Trial of the chosen finalist: the newest ok one, preferably of the same cache policy. */
#define TRIAL_OF_CHOSEN                                                                            \
	"(SELECT id FROM (SELECT t.id, t.recorded_ms, r.cache_policy IS s.cache_policy AS "        \
	"same" TRIALS_IN("r", "t", "s",                                                            \
			 "f") " AND t.status = 'ok')"                                              \
			      " ORDER BY same DESC, recorded_ms DESC, id DESC LIMIT 1)"

/* Run `h` whose finals decide, finalist `f` that they chose, trial `t` that is the answer: each is
 * found by its number, so that a question about one subject works out the answer of that alone. */
#define ANSWER(subjects, deciding, chosen, fastest)                                                \
	" FROM (" subjects ") s LEFT JOIN run h ON h.id = " deciding                               \
	" LEFT JOIN final f ON f.rowid = " chosen                                                  \
	" JOIN trial t ON t.id = CASE WHEN f.rowid IS NULL THEN " fastest " ELSE " TRIAL_OF_CHOSEN \
	" END"

/* Answer for each subject. A finalist that replaces a withdrawn winner has no ratios: the others
 * were compared with that winner. */
#define BEST(view, answer)                                                                         \
	"CREATE VIEW " view " AS WITH today AS MATERIALIZED"                                       \
	" (SELECT device_id, problem_id, implementation_id FROM current)"                          \
	" SELECT" DB_BEST_COLUMNS answer " JOIN implementation i ON i.id = t.implementation_id"    \
	" JOIN device d ON d.id = s.device_id JOIN problem p ON p.id = s.problem_id"               \
	" JOIN workload w ON w.id = p.workload_id"

/* Answer for each device, problem and cache policy; those on stand-ins of a device are simulated.
 */
static const char any_best[] =
	BEST("any_best", ANSWER("SELECT DISTINCT device_id, problem_id, cache_policy, simulated"
				" FROM run WHERE NOT imported",
				DECIDING, CHOSEN(""), FASTEST_TRIAL("")));

/* Answer for each of these and each implementation; that of `any_best` is among them. */
static const char any_implementation_best[] =
	BEST("any_implementation_best",
	     ANSWER("SELECT DISTINCT r.device_id, r.problem_id, r.cache_policy, r.simulated,"
		    "  x.implementation_id FROM run r JOIN run_implementation x ON x.run_id = r.id"
		    " WHERE NOT r.imported",
		    DECIDING_OWN, CHOSEN(" AND " OWN("f")), FASTEST_TRIAL(" AND " OWN("t"))));

/* Finalists that may be as fast as the best, itself among them. */
static const char ties[] =
	"CREATE VIEW ties AS"
	" SELECT b.device_id, b.problem_id, b.cache_policy, n.run_id, n.implementation_id,"
	"  n.config_key, n.final_id = b.final_id AS winner, n.standing, n.ratio, n.ratio_low,"
	"  n.ratio_high, n.median_ns FROM any_best b JOIN standing n ON n.run_id = b.final_run_id"
	" WHERE n.standing <> 'slower' OR n.final_id = b.final_id";

/* The first by `order` of some finalists of the same rounds or, where there are no finals, the
 * fastest of some trials of the same run: what was measured in other moments is not compared, nor
 * what was withdrawn. */
#define BESIDE(what, finalists, trials, order)                                                     \
	" iif(b.final_id IS NULL, (SELECT n." what " FROM trial n"                                 \
	"   JOIN implementation i ON i.id = n.implementation_id"                                   \
	"   WHERE n.run_id = b.run_id AND n.status = 'ok' AND " trials                             \
	"   AND NOT EXISTS (SELECT 1 FROM withdrawn w"                                             \
	"    WHERE w.implementation_id = n.implementation_id AND w.config_hash = n.config_hash"    \
	"     AND w.config_key = n.config_key AND w.device_id = b.device_id"                       \
	"     AND w.problem_id = b.problem_id) ORDER BY n.median_ns LIMIT 1),"                     \
	"  (SELECT n." what " FROM finalist n JOIN implementation i ON i.id = n.implementation_id" \
	"   WHERE n.run_id = b.final_run_id AND " finalists " ORDER BY " order                     \
	", n.median_ns LIMIT 1))"

/* Trials of finalist `n` as the default of this problem. */
#define AS_DEFAULT(what) "(SELECT " what TRIALS_IN("r", "t", "n", "n") " AND t.is_default)"

/* Picks the newest of several defaults, which an edited workload has. */
#define OWN_DEFAULT(what)                                                                          \
	BESIDE(what, "n.implementation_id = b.implementation_id AND EXISTS " AS_DEFAULT("1"),      \
	       "n.is_default AND n.implementation_id = b.implementation_id",                       \
	       AS_DEFAULT("max(t.recorded_ms)") " DESC")

#define BASELINE "(SELECT baseline FROM run WHERE run.id = coalesce(b.final_run_id, b.run_id))"

/* The best beside the default configuration of its implementation, and its baseline. */
#define COMPARED(view, best)                                                                       \
	"CREATE VIEW " view                                                                        \
	" AS SELECT b.*, " OWN_DEFAULT("median_ns") " AS default_ns, " OWN_DEFAULT(                \
		"config_key") " AS default_key,"                                                   \
			      " " BASELINE " AS baseline," BESIDE(                                 \
				      "median_ns", "i.name = " BASELINE, "i.name = " BASELINE,     \
				      "n.median_ns") " AS baseline_ns FROM " best " b"

static const char any_compared[] = COMPARED("any_compared", "any_best");
static const char any_implementation_compared[] =
	COMPARED("any_implementation_compared", "any_implementation_best");

/* The same of what was measured: for questions that do not name their origin. */
#define MEASURED(view) "CREATE VIEW " view " AS SELECT * FROM any_" view " WHERE NOT simulated"

static const char best[] = MEASURED("best");
static const char implementation_best[] = MEASURED("implementation_best");
static const char compared[] = MEASURED("compared");
static const char implementation_compared[] = MEASURED("implementation_compared");

/* ---- the origin of results ---- */

/* A run whose results were measured elsewhere. The other simulated runs are those on a stand-in of
 * a device, whose times a model gives: a best, finals and withdrawals of their own. */
static const char run_imported[] = "ALTER TABLE run ADD COLUMN imported INTEGER NOT NULL DEFAULT 0";
static const char old_imported[] = "UPDATE run SET imported = simulated";

static const char old_run_subject[] = "DROP INDEX IF EXISTS run_subject";
static const char run_subject_origin[] =
	"CREATE INDEX run_subject ON run(device_id, problem_id, cache_policy, decided, started_ms,"
	" simulated, imported)";

const char *const schema_best[] = {
	DROP("ties"), DROP("best"),     final_standing, run_sure,     run_noise,
	run_decided,  old_standings,    old_sure,       old_decided,  run_subject,
	trial_run,    old_trial_config, trial_config,   trial_failed, NULL,
};

const char *const schema_origin[] = {
	run_imported,
	old_imported,
	old_run_subject,
	run_subject_origin,
	DROP("implementation_compared"),
	DROP("compared"),
	DROP("ties"),
	DROP("implementation_best"),
	DROP("best"),
	DROP("standing"),
	DROP("finalist"),
	DROP("withdrawn"),
	DROP("current"),
	current,
	withdrawn,
	finalist,
	standing,
	NULL,
};

const char *const schema_measured[] = {
	DROP("implementation_compared"),
	DROP("compared"),
	DROP("ties"),
	DROP("implementation_best"),
	DROP("best"),
	any_best,
	any_implementation_best,
	ties,
	any_compared,
	any_implementation_compared,
	best,
	implementation_best,
	compared,
	implementation_compared,
	NULL,
};
