#include "db/load.h"

#include "db/connection.h"
#include "tuner/result/tie.h"

static void begin_of_subject(struct statement *s, struct db *d, const char *sql, int64_t device_id,
			     int64_t problem_id)
{
	statement_begin(s, d, sql);
	statement_bind_int(s, device_id);
	statement_bind_int(s, problem_id);
}

void load_subject_of(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, "SELECT device_id, problem_id, cache_policy FROM run WHERE id = ?");
	statement_bind_int(s, run_id);
}

void load_names(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d,
			 "WITH" DB_MACHINES
			 " SELECT w.name, p.name, p.key, v.kind, v.model, v.fingerprint, x.machine"
			 " FROM device v JOIN machines x ON x.device_id = v.id"
			 " JOIN problem p ON p.id = ?2"
			 " JOIN workload w ON w.id = p.workload_id WHERE v.id = ?1",
			 device_id, problem_id);
}

void load_participants(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(
		s, d,
		"SELECT r.id, r.problem_id, i.id, i.name FROM problem own"
		" JOIN problem p ON p.workload_id = own.workload_id AND p.name = own.name"
		" JOIN run r ON r.device_id = ?1 AND r.problem_id = p.id AND NOT r.imported"
		" JOIN run_implementation x ON x.run_id = r.id"
		" JOIN implementation i ON i.id = x.implementation_id"
		" WHERE own.id = ?2 ORDER BY r.started_ms DESC, r.id DESC, i.id",
		device_id, problem_id);
}

void load_runs(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d,
			 "SELECT id, cache_policy, simulated, started_ms, decided, sure, noise_pct,"
			 " baseline, CASE WHEN policy_json IS NULL THEN 0"
			 "  WHEN json_valid(policy_json)"
			 "  THEN coalesce(json_extract(policy_json, '$.finals_ratio'), 0) > 0"
			 "  ELSE -1 END FROM run"
			 " WHERE device_id = ?1 AND problem_id = ?2 AND NOT imported"
			 " ORDER BY started_ms DESC, id DESC",
			 device_id, problem_id);
}

void load_trials(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d,
			 "SELECT t.run_id, t.id, t.implementation_id, t.config_hash, t.config_key,"
			 " t.status, t.is_default, t.recorded_ms, t.n_samples, t.median_ns,"
			 " t.min_ns, t.max_ns, t.low_ns, t.high_ns"
			 " FROM run r CROSS JOIN trial t ON t.run_id = r.id"
			 " WHERE r.device_id = ?1 AND r.problem_id = ?2 AND NOT r.imported",
			 device_id, problem_id);
}

void load_finals(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d,
			 "SELECT f.run_id, f.implementation_id, f.config_hash, f.config_key,"
			 " f.winner, f.standing, f.ratio, f.median_ns"
			 " FROM run r CROSS JOIN final f ON f.run_id = r.id"
			 " WHERE r.device_id = ?1 AND r.problem_id = ?2 AND NOT r.imported",
			 device_id, problem_id);
}

/* Condition for a failure that may withdraw: that of the index trial_failed, which only an equal
 * condition can use. What it means is decided by reports/results/stands.c. */
#define FAILED_BADLY(t) t ".status IN ('wrong', 'crashed', 'timeout')"

/* Of each configuration `x` all trials, run by run: CROSS JOIN keeps this order. */
#define TRIALS_OF(x)                                                                               \
	" CROSS JOIN run o ON o.device_id = " x ".device_id AND o.problem_id = " x ".problem_id"   \
	"  AND NOT o.imported"                                                                     \
	" CROSS JOIN trial t ON t.run_id = o.id AND t.implementation_id = " x ".implementation_id" \
	"  AND t.config_hash = " x ".config_hash AND t.config_key = " x ".config_key"
#define SUSPECT_COLUMNS                                                                            \
	"x.device_id, x.problem_id, x.implementation_id, x.config_key, o.id, o.simulated, t.id,"   \
	" t.status, t.recorded_ms"

static const char all_suspects[] =
	"SELECT " SUSPECT_COLUMNS " FROM (SELECT DISTINCT r.device_id, r.problem_id,"
	"  f.implementation_id, f.config_hash, f.config_key"
	"  FROM trial f INDEXED BY trial_failed JOIN run r ON r.id = f.run_id AND NOT r.imported"
	"  WHERE " FAILED_BADLY("f") ") x" TRIALS_OF("x");

/* Most configurations never failed: the index says so before anything else is asked of them. */
static const char suspects_of_run[] =
	"SELECT " SUSPECT_COLUMNS " FROM (SELECT DISTINCT r.device_id, r.problem_id,"
	"  a.implementation_id, a.config_hash, a.config_key FROM run r"
	"  CROSS JOIN (SELECT implementation_id, config_hash, config_key FROM trial"
	"    WHERE run_id = ?1 AND status = 'ok'"
	"   UNION ALL SELECT implementation_id, config_hash, config_key FROM final"
	"    WHERE run_id = ?1) a"
	"  WHERE r.id = ?1 AND NOT r.imported AND EXISTS (SELECT 1"
	"   FROM trial f INDEXED BY trial_failed WHERE f.implementation_id = a.implementation_id"
	"    AND f.config_hash = a.config_hash AND " FAILED_BADLY("f") ")) x" TRIALS_OF("x");

void load_suspects(struct statement *s, struct db *d, int64_t run_id)
{
	if (run_id == 0) {
		statement_begin(s, d, all_suspects);
		return;
	}
	statement_begin(s, d, suspects_of_run);
	statement_bind_int(s, run_id);
}

void load_contents(struct statement *s, struct db *d)
{
	statement_begin(s, d,
			"SELECT dense_rank() OVER ("
			"  ORDER BY r.device_id, p.workload_id, p.name, i.name) AS name,"
			" r.device_id, r.problem_id, i.id"
			" FROM run_implementation x JOIN run r ON r.id = x.run_id"
			"  AND NOT r.imported JOIN problem p ON p.id = r.problem_id"
			" JOIN implementation i ON i.id = x.implementation_id"
			" ORDER BY name, r.started_ms DESC, r.id DESC");
}

void load_failure(struct statement *s, struct db *d, int64_t trial_id)
{
	statement_begin(s, d, "SELECT status, reason FROM trial WHERE id = ?");
	statement_bind_int(s, trial_id);
}

void load_implementation(struct statement *s, struct db *d, int64_t id)
{
	statement_begin(s, d, "SELECT name FROM implementation WHERE id = ?");
	statement_bind_int(s, id);
}

/* ---- what is shown with an answer ---- */

#define RENAMED(id, name, recorded) " WHEN '" recorded "' THEN '" name "'"
#define STANDING                    "CASE n.standing" STANDING_LIST(RENAMED) " ELSE n.standing END"
#define METRICS                     DB_METRICS_JSON("?1")
#define PROVENANCE                  DB_PROVENANCE_JSON("?1")
#define LAST_STATUSES               DB_LAST_STATUSES("r.id")

/* The finalists of ?4 that ?5 lists, the answer first. A plus keeps SQLite from looking for a
 * configuration in all runs that have tried it. */
#define TIES                                                                                       \
	"(SELECT json_group_array(json_object('implementation', name, 'config_key', config_key,"   \
	"   'ratio', ratio, 'low', ratio_low, 'high', ratio_high, 'standing', word,"               \
	"   'winner', json(iif(chosen, 'true', 'false')))) FROM ("                                 \
	"  SELECT m.name, n.*, " STANDING " AS word,"                                              \
	"   n.implementation_id = t.implementation_id AND n.config_key = t.config_key AS chosen"   \
	"  FROM json_each(?5) x JOIN final n ON n.run_id = ?4"                                     \
	"   AND n.implementation_id = json_extract(x.value, '$[0]')"                               \
	"   AND +n.config_hash = json_extract(x.value, '$[1]')"                                    \
	"  JOIN implementation m ON m.id = n.implementation_id"                                    \
	"  ORDER BY chosen DESC, n.ratio, n.config_key))"

/* Facts of trial ?1, device ?2 and problem ?3, answered in the finals of run ?4 (0: none were
 * held), whose times they have then. Shared rows say what the newest run said. */
static const char facts[] =
	"SELECT w.name, w.operator, p.name, p.dims_json,"
	" v.kind, v.model, v.arch, v.fingerprint, v.driver, v.clock,"
	" i.name, i.idx, t.config_json, t.config_key, coalesce(t.rewrites_json, '[]'),"
	" coalesce(f.median_ns, t.median_ns), coalesce(f.q1_ns, t.q1_ns),"
	" coalesce(f.q3_ns, t.q3_ns), coalesce(f.min_ns, t.min_ns),"
	" coalesce(f.max_ns, t.max_ns), iif(f.run_id IS NULL, t.low_ns, f.low_ns),"
	" iif(f.run_id IS NULL, t.high_ns, f.high_ns), coalesce(f.n_samples, t.n_samples),"
	" coalesce(f.clock_mhz, t.clock_mhz, 0), " TIES ", p.flops, p.bytes, t.max_abs,"
	" " METRICS ", t.run_id, t.id,"
	" strftime('%Y-%m-%dT%H:%M:%SZ', t.recorded_ms / 1000, 'unixepoch'),"
	" " PROVENANCE ", w.export_json, p.kinds_json, i.source_digest,"
	" r.outcome, r.budget, r.workload_file,"
	" iif(r.outcome IS 'done', 0, (SELECT count(*) FROM " LAST_STATUSES ")), p.element"
	" FROM trial t JOIN implementation i ON i.id = t.implementation_id"
	" JOIN device v ON v.id = ?2 JOIN problem p ON p.id = ?3"
	" JOIN workload w ON w.id = p.workload_id"
	" LEFT JOIN final f ON f.run_id = ?4"
	"  AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key"
	" JOIN run r ON r.id = iif(?4 > 0, ?4, t.run_id) WHERE t.id = ?1";

void load_facts(struct statement *s, struct db *d, const struct load_facts_of *of)
{
	statement_begin(s, d, facts);
	statement_bind_int(s, of->trial_id);
	statement_bind_int(s, of->device_id);
	statement_bind_int(s, of->problem_id);
	statement_bind_int(s, of->final_run_id);
	statement_bind_text(s, of->ties_json);
}
