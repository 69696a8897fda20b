#include "db/overview.h"

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"

enum asc_status db_find_overview(struct db *d, struct db_overview *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct db_overview){0};
	statement_begin(&s, d, sql_find_overview);
	if (statement_next(&s, &status, e)) {
		out->runs = statement_take_int(&s);
		out->trials = statement_take_int(&s);
		out->ok_trials = statement_take_int(&s);
		out->imported_runs = statement_take_int(&s);
		out->standin_runs = statement_take_int(&s);
		out->first_ms = statement_take_int(&s);
		out->last_ms = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_each_environment(struct db *d, db_environment_fn *visit, void *user,
				    struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_environment);
	while (statement_next(&s, &status, e)) {
		struct db_environment v;

		statement_take_texts(&s, (const char **const[]){&v.device_kind, &v.device_model,
								&v.arch, &v.driver, &v.clock,
								&v.fingerprint, &v.version, NULL});
		v.runs = statement_take_int(&s);
		v.first_ms = statement_take_int(&s);
		v.last_ms = statement_take_int(&s);
		status = visit(user, &v, e);
	}
	return status;
}

enum asc_status db_each_unmeasured(struct db *d, db_unmeasured_fn *visit, void *user,
				   struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_unmeasured);
	while (statement_next(&s, &status, e)) {
		struct db_unmeasured o;

		statement_take_texts(
			&s, (const char **const[]){&o.device_kind, &o.device_model, &o.workload,
						   &o.problem, &o.cache_policy, &o.implementation,
						   &o.outcome, &o.status, &o.reason, NULL});
		o.trials = statement_take_int(&s);
		o.started_ms = statement_take_int(&s);
		o.broken = statement_take_int(&s) != 0;
		status = visit(user, &o, e);
	}
	return status;
}
