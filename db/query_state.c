/* The part of history.h about the state of runs. */
#include <stdio.h>

#include "db/connection.h"
#include "db/history.h"
#include "db/statement.h"

enum asc_status db_find_run_state(struct db *d, const char *device_kind, const char *workload,
				  const char *problem, struct db_run_state *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_run_state){0};
	statement_begin(
		&s, d,
		"SELECT r.id, coalesce(r.outcome, ''),"
		" (SELECT count(*) FROM " DB_LAST_STATUSES(
			"r.id") "),"
				" (SELECT count(*) FROM " DB_LAST_STATUSES(
					"r.id") " WHERE status = 'ok'),"
						" iif(json_valid(r.history_json), "
						"json_extract(r.history_json, '$.results'), 0)"
						" FROM run r JOIN device v ON v.id = r.device_id"
						" JOIN problem p ON p.id = r.problem_id JOIN "
						"workload w ON w.id = p.workload_id"
						" WHERE v.kind = ? AND w.name = ? AND p.name = ? "
						"AND NOT r.simulated"
						"  AND " DB_SEARCHED
						" ORDER BY r.outcome IS 'done' DESC, r.started_ms "
						"DESC, r.id DESC LIMIT 1");
	statement_bind_text(&s, device_kind);
	statement_bind_text(&s, workload);
	statement_bind_text(&s, problem);
	if (statement_next(&s, &status, e)) {
		out->run_id = statement_take_int(&s);
		snprintf(out->outcome, sizeof out->outcome, "%s", statement_take_text(&s));
		out->trials = statement_take_int(&s);
		out->ok_trials = statement_take_int(&s);
		out->history = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}
