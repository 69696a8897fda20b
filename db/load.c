#include "db/load.h"

#include "db/connection.h"
#include "db/sql.h"

static void begin_of_subject(struct statement *s, struct db *d, const char *sql, int64_t device_id,
			     int64_t problem_id)
{
	statement_begin(s, d, sql);
	statement_set_int(s, ":device_id", device_id);
	statement_set_int(s, ":problem_id", problem_id);
}

void load_subject_of(struct statement *s, struct db *d, int64_t run_id)
{
	statement_begin(s, d, sql_load_subject_of);
	statement_set_int(s, ":run_id", run_id);
}

void load_names(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_names, device_id, problem_id);
}

void load_participants(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_participants, device_id, problem_id);
}

void load_runs(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_runs, device_id, problem_id);
}

void load_trials(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_trials, device_id, problem_id);
}

void load_finals(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id)
{
	begin_of_subject(s, d, sql_load_finals, device_id, problem_id);
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
	statement_begin(s, d, sql_load_implementation);
	statement_set_int(s, ":id", id);
}

void load_facts(struct statement *s, struct db *d, const struct load_facts_of *of)
{
	statement_begin(s, d, sql_load_facts);
	statement_set_int(s, ":trial_id", of->trial_id);
	statement_set_int(s, ":device_id", of->device_id);
	statement_set_int(s, ":problem_id", of->problem_id);
	statement_set_int(s, ":final_run_id", of->final_run_id);
	statement_set_text(s, ":ties_json", of->ties_json);
}
