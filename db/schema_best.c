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

/* The views current, withdrawn, finalist and standing: the one exception to the rule that what is
 * best is decided in reports/results/answers.c. They say the same in SQL, for the questions of db/
 * that are about histories, records, runs and watch (query_history, query_record, query_run,
 * query_watch), until these read a snapshot, too; and for people who ask for what was withdrawn.
 *
 * Per device, problem and implementation, by name, the content of the newest run: results of what
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
