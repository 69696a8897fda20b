#include <stddef.h>

#include "db/connection.h"
#include "db/migrate.h"

/* ---- answers ---- */

/* Answers to what is best, worked out by reports/results from all other tables: struct answer_row,
 * whose members are these. Whatever shared rows say is not copied, since the newest run changes
 * it. */
static const char answer[] =
	"CREATE TABLE answer("
	" device_id INTEGER NOT NULL, problem_id INTEGER NOT NULL, cache_policy TEXT,"
	" simulated INTEGER NOT NULL, own INTEGER NOT NULL, implementation_id INTEGER NOT NULL,"
	" failed INTEGER NOT NULL, trial_id INTEGER NOT NULL, final_run_id INTEGER,"
	" sure TEXT NOT NULL, noise_pct REAL, n_ties INTEGER NOT NULL,"
	" ties_json TEXT NOT NULL, default_ns REAL, vs_default REAL NOT NULL, default_key TEXT,"
	" baseline_ns REAL, vs_baseline REAL NOT NULL, baseline TEXT,"
	" trials INTEGER NOT NULL, ok_trials INTEGER NOT NULL, newest INTEGER NOT NULL) STRICT";

static const char answer_subject[] = "CREATE INDEX answer_subject ON answer(device_id, problem_id)";

/* Devices and problems whose answers are no longer those of the other tables: marked in the
 * transaction that changes these, by triggers, whoever writes. */
static const char stale[] = "CREATE TABLE stale("
			    " device_id INTEGER NOT NULL, problem_id INTEGER NOT NULL,"
			    " PRIMARY KEY(device_id, problem_id)) STRICT, WITHOUT ROWID";

static const char stale_all[] = "INSERT INTO stale SELECT DISTINCT device_id, problem_id FROM run"
				" WHERE NOT imported";

/* Marks the subject of a run. What was imported is no part of any answer. No OR IGNORE: the
 * statement that fires a trigger would replace it by its own. */
#define MARK(run)                                                                                  \
	" INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r"                           \
	"  WHERE r.id = " run " AND NOT r.imported AND NOT EXISTS (SELECT 1 FROM stale s"          \
	"   WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);"

/* Marks a subject and, on the same device, those of the same workload and problem by name: which
 * content of an implementation is current depends on the runs of all of them. */
#define MARK_NAMES(row)                                                                            \
	" INSERT INTO stale SELECT " row ".device_id, q.id FROM problem p"                         \
	"  JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name"                    \
	"  WHERE p.id = " row ".problem_id AND NOT EXISTS (SELECT 1 FROM stale s"                  \
	"   WHERE s.device_id = " row ".device_id AND s.problem_id = q.id);"

#define ON_RESULT(table)                                                                           \
	"CREATE TRIGGER " table "_added AFTER INSERT ON " table                                    \
	" BEGIN" MARK("NEW.run_id") " END",                                                        \
		"CREATE TRIGGER " table "_changed AFTER UPDATE ON " table                          \
		" BEGIN" MARK("OLD.run_id") MARK("NEW.run_id") " END",                             \
		"CREATE TRIGGER " table "_removed AFTER DELETE ON " table                          \
		" BEGIN" MARK("OLD.run_id") " END"

static const char run_added[] = "CREATE TRIGGER run_added AFTER INSERT ON run"
				" WHEN NOT NEW.imported BEGIN" MARK_NAMES("NEW") " END";
static const char run_removed[] = "CREATE TRIGGER run_removed AFTER DELETE ON run"
				  " WHEN NOT OLD.imported BEGIN" MARK_NAMES("OLD") " END";

/* How a run ends, and what it was slowed down by, changes no answer. */
static const char run_changed[] =
	"CREATE TRIGGER run_changed AFTER UPDATE OF device_id, problem_id, policy_json,"
	" cache_policy, simulated, imported, baseline, started_ms, sure, noise_pct, decided ON run"
	" BEGIN" MARK_NAMES("OLD") MARK_NAMES("NEW") " END";

/* Marks the subjects of all runs that a condition names. */
#define MARK_NAMES_OF(condition)                                                                   \
	" INSERT INTO stale SELECT DISTINCT r.device_id, q.id FROM run r"                          \
	"  JOIN problem p ON p.id = r.problem_id"                                                  \
	"  JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name"                    \
	"  WHERE r.id " condition " AND NOT r.imported AND NOT EXISTS (SELECT 1 FROM stale s"      \
	"   WHERE s.device_id = r.device_id AND s.problem_id = q.id);"

static const char taken_part[] =
	"CREATE TRIGGER run_implementation_added AFTER INSERT ON run_implementation"
	" BEGIN" MARK_NAMES_OF("= NEW.run_id") " END";
static const char part_changed[] =
	"CREATE TRIGGER run_implementation_changed AFTER UPDATE ON run_implementation"
	" BEGIN" MARK_NAMES_OF("IN (OLD.run_id, NEW.run_id)") " END";
static const char part_removed[] =
	"CREATE TRIGGER run_implementation_removed AFTER DELETE ON run_implementation"
	" BEGIN" MARK_NAMES_OF("= OLD.run_id") " END";

/* Names say what is current, and which implementation is the baseline. */
static const char implementation_renamed[] =
	"CREATE TRIGGER implementation_renamed AFTER UPDATE OF name ON implementation"
	" BEGIN" MARK_NAMES_OF(
		"IN (SELECT run_id FROM run_implementation WHERE implementation_id = NEW.id"
		"   UNION SELECT run_id FROM trial WHERE implementation_id = NEW.id"
		"   UNION SELECT run_id FROM final WHERE implementation_id = NEW.id)") " END";

/* Problems that had the name of this one, or have it now. */
static const char problem_renamed[] =
	"CREATE TRIGGER problem_renamed AFTER UPDATE OF name, workload_id ON problem BEGIN"
	" INSERT INTO stale SELECT DISTINCT r.device_id, r.problem_id"
	"  FROM problem q JOIN run r ON r.problem_id = q.id"
	"  WHERE (q.workload_id, q.name) IN"
	"    (VALUES(OLD.workload_id, OLD.name), (NEW.workload_id, NEW.name))"
	"   AND NOT r.imported AND NOT EXISTS (SELECT 1 FROM stale s"
	"    WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id); END";

/* ---- views of them ---- */

/* Columns that people ask for: times and interval are those of the finals where these decide. Rows
 * are those that `best` shows, of each driver: not what passed last, nor what no trial with this
 * cache policy has tried. */
static const char answered[] =
	"CREATE VIEW answered AS"
	" SELECT w.name AS workload, w.operator, p.name AS problem, p.dims_json,"
	"  d.kind AS device_kind, d.model AS device_model, d.arch AS device_arch,"
	"  d.fingerprint AS device_fingerprint, d.clock, a.cache_policy,"
	"  i.name AS implementation, i.idx AS implementation_index, t.config_json, t.config_key,"
	"  strftime('%Y-%m-%dT%H:%M:%SZ', t.recorded_ms / 1000, 'unixepoch') AS recorded_at,"
	"  t.run_id, t.id AS trial_id, coalesce(f.n_samples, t.n_samples) AS n_samples,"
	"  coalesce(f.median_ns, t.median_ns) AS median_ns, coalesce(f.q1_ns, t.q1_ns) AS q1_ns,"
	"  coalesce(f.q3_ns, t.q3_ns) AS q3_ns, coalesce(f.min_ns, t.min_ns) AS min_ns,"
	"  coalesce(f.max_ns, t.max_ns) AS max_ns,"
	"  iif(f.rowid IS NULL, t.low_ns, f.low_ns) AS low_ns,"
	"  iif(f.rowid IS NULL, t.high_ns, f.high_ns) AS high_ns, p.flops, p.bytes, t.max_abs,"
	"  t.implementation_id, a.device_id, a.problem_id, h.id AS final_run_id,"
	"  f.rowid AS final_id,"
	"  a.sure, a.noise_pct, a.simulated,"
	"  a.default_ns, a.default_key, a.baseline, a.baseline_ns, a.own, a.ties_json"
	" FROM answer a JOIN trial t ON t.id = a.trial_id"
	" LEFT JOIN run h ON h.id = a.final_run_id"
	" LEFT JOIN final f ON f.run_id = a.final_run_id"
	"  AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key"
	" JOIN implementation i ON i.id = t.implementation_id"
	" JOIN device d ON d.id = a.device_id JOIN problem p ON p.id = a.problem_id"
	" JOIN workload w ON w.id = p.workload_id WHERE NOT a.failed AND a.trials > 0";

#define BEST_COLUMNS                                                                               \
	"workload, operator, problem, dims_json, device_kind, device_model, device_arch,"          \
	" device_fingerprint, clock, cache_policy, implementation, implementation_index,"          \
	" config_json, config_key, recorded_at, run_id, trial_id, n_samples, median_ns, q1_ns,"    \
	" q3_ns, min_ns, max_ns, low_ns, high_ns, flops, bytes, max_abs, implementation_id,"       \
	" device_id, problem_id, final_run_id, final_id, sure, noise_pct, simulated"
#define COMPARED_COLUMNS BEST_COLUMNS ", default_ns, default_key, baseline, baseline_ns"

/* Views of answers: of all implementations or of each; with stand-ins of devices, or measured
 * alone. */
#define VIEWS(name, columns)                                                                       \
	"CREATE VIEW any_" name " AS SELECT " columns " FROM answered WHERE own = 0",              \
		"CREATE VIEW any_implementation_" name " AS SELECT " columns                       \
		" FROM answered WHERE own > 0",                                                    \
		"CREATE VIEW " name " AS SELECT * FROM any_" name " WHERE NOT simulated",          \
		"CREATE VIEW implementation_" name " AS SELECT * FROM any_implementation_" name    \
		" WHERE NOT simulated"

/* Finalists that may be as fast as the best, itself among them; a plus as in load_facts(). */
static const char ties[] =
	"CREATE VIEW ties AS"
	" SELECT a.device_id, a.problem_id, a.cache_policy, n.run_id, n.implementation_id,"
	"  n.config_key, n.rowid = a.final_id AS winner, n.standing, n.ratio, n.ratio_low,"
	"  n.ratio_high, n.median_ns FROM answered a JOIN json_each(a.ties_json) x"
	" JOIN final n ON n.run_id = a.final_run_id"
	"  AND n.implementation_id = json_extract(x.value, '$[0]')"
	"  AND +n.config_hash = json_extract(x.value, '$[1]') WHERE a.own = 0";

#define DROP(view) ("DROP VIEW IF EXISTS " view)

const char *const schema_answers[] = {
	DROP("any_implementation_compared"),
	DROP("any_compared"),
	DROP("implementation_compared"),
	DROP("compared"),
	DROP("ties"),
	DROP("implementation_best"),
	DROP("best"),
	DROP("any_implementation_best"),
	DROP("any_best"),
	answer,
	answer_subject,
	stale,
	stale_all,
	ON_RESULT("trial"),
	ON_RESULT("final"),
	run_added,
	run_removed,
	run_changed,
	taken_part,
	part_changed,
	part_removed,
	implementation_renamed,
	problem_renamed,
	answered,
	VIEWS("best", BEST_COLUMNS),
	VIEWS("compared", COMPARED_COLUMNS),
	ties,
	NULL,
};
