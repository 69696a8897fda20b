/* The part of run_view.h about all that is recorded of a run. */
#include "db/connection.h"
#include "db/db.h"
#include "db/run_view.h"
#include "db/statement.h"
#include "tuner/result/tie.h"

/* Name, kind, member, what it is in the query. */
#define RUN_LIST(X)                                                                                \
	X("run_id", INT, run_id, "r.id")                                                           \
	X("workload", TEXT, workload, "w.name")                                                    \
	X("problem", TEXT, problem, "p.name")                                                      \
	X("problem_values", JSON, dims_json, "p.dims_json")                                        \
	X("problem_key", TEXT, problem_key, "p.key")                                               \
	X("workload_file", TEXT, workload_file, "r.workload_file")                                 \
	X("workload_hash", TEXT, workload_hash, "r.workload_hash")                                 \
	X("source_commit", TEXT, source_commit, "r.source_commit")                                 \
	X("source_clean", INT, source_clean, "r.source_clean")                                     \
	X("device_kind", TEXT, device_kind, "v.kind")                                              \
	X("device_model", TEXT, device_model, "v.model")                                           \
	X("device_arch", TEXT, device_arch, "v.arch")                                              \
	X("device_driver", TEXT, device_driver, "v.driver")                                        \
	X("device_fingerprint", TEXT, device_fingerprint, "v.fingerprint")                         \
	X("device_machine", TEXT, device_machine, "x.machine")                                     \
	X("version", TEXT, version, "r.version")                                                   \
	X("strategy", TEXT, strategy, "r.strategy")                                                \
	X("seed", INT, seed, "r.seed")                                                             \
	X("budget", TEXT, budget, "r.budget")                                                      \
	X("cache_policy", TEXT, cache_policy, "r.cache_policy")                                    \
	X("baseline", TEXT, baseline, "r.baseline")                                                \
	X("history", JSON, history_json, "r.history_json")                                         \
	X("patience", JSON, patience_json, "r.patience_json")                                      \
	X("simulated", INT, simulated, "r.simulated")                                              \
	X("imported", INT, imported, "r.imported")                                                 \
	X("started_at", TEXT, started_at, TIME("r.started_ms"))                                    \
	X("ended_at", TEXT, ended_at, TIME("r.ended_ms"))                                          \
	X("outcome", TEXT, outcome, "r.outcome")                                                   \
	X("trials", INT, trials, "(SELECT count(*) FROM " DB_LAST_STATUSES("r.id") ")")            \
	X("statuses", JSON, statuses_json, STATUSES)                                               \
	X("sure", TEXT, sure, "r.sure")                                                            \
	X("noise_pct", REAL, noise_pct, "r.noise_pct")                                             \
	X("steady", JSON, steady_json, "r.steady_json")                                            \
	X("policy", JSON, policy_json, "r.policy_json")

#define TIME(ms) "strftime('%Y-%m-%dT%H:%M:%SZ', " ms " / 1000, 'unixepoch')"

#define STATUSES                                                                                   \
	"(SELECT json_group_object(s.status, s.n) FROM (SELECT status, count(*) AS n"              \
	" FROM " DB_LAST_STATUSES("r.id") " GROUP BY status ORDER BY n DESC) s)"

#define FIELD(name, kind, member, sql)                                                             \
	{name, offsetof(struct db_run_record, member), DB_FIELD_##kind, false, false},
#define COLUMN(name, kind, member, sql) sql ", "

const struct db_field db_run_fields[] = {RUN_LIST(FIELD){0}};

static const char each_run[] =
	"WITH" DB_MACHINES
	" SELECT " RUN_LIST(COLUMN) "0 FROM run r"
				    " JOIN device v ON v.id = r.device_id"
				    " JOIN machines x ON x.device_id = v.id"
				    " JOIN problem p ON p.id = r.problem_id"
				    " JOIN workload w ON w.id = p.workload_id"
				    " WHERE r.id BETWEEN ?1 AND iif(?1, ?1, 0x7fffffffffffffff)"
				    "  AND (?2 IS NULL OR w.name = ?2)"
				    "  AND (?3 IS NULL OR p.name = ?3)"
				    " ORDER BY w.name, p.name, r.started_ms, r.id";

enum asc_status db_each_run(struct db *d, const struct db_run_choice *c, db_run_record_fn *visit,
			    void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_run);
	statement_bind_int(&s, c->run_id);
	statement_bind_text(&s, c->workload);
	statement_bind_text(&s, c->problem);
	while (statement_next(&s, &status, e)) {
		struct db_run_record r = {0};

		for (const struct db_field *f = db_run_fields; f->name; f++)
			db_take_field(&s, f, &r);
		if (r.sure)
			r.sure = sure_name(sure_parse(r.sure));
		status = visit(user, &r, e);
	}
	return status;
}
