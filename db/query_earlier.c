#include "db/earlier.h"

#include "db/sql.h"
#include "db/statement.h"

enum asc_status db_each_earlier_source(struct db *d, const struct db_kernel *k,
				       db_earlier_source_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_earlier_sources);
	statement_set_text(&s, ":workload", k->workload);
	statement_set_text(&s, ":operator", k->operator_name);
	statement_set_text(&s, ":implementation", k->implementation);
	while (statement_next(&s, &status, e)) {
		struct db_earlier_source r;

		r.run_id = statement_take_int(&s);
		r.implementation_id = statement_take_int(&s);
		r.simulated = statement_take_int(&s);
		statement_take_texts(&s,
				     (const char **const[]){&r.workload, &r.problem, &r.device_kind,
							    &r.device_model, &r.dims_json,
							    &r.cache_policy, NULL});
		status = visit(user, &r, e);
	}
	return status;
}

enum asc_status db_each_earlier_result(struct db *d, int64_t run_id, int64_t implementation_id,
				       db_earlier_result_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_earlier_results);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_int(&s, ":most", DB_EARLIER_MOST);
	while (statement_next(&s, &status, e)) {
		const char *config_json = statement_take_text(&s);

		status = visit(user, config_json, statement_take_real(&s), e);
	}
	return status;
}

enum asc_status db_each_contender(struct db *d, const struct db_contenders *of, size_t most,
				  db_contender_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_contender);
	statement_set_text(&s, ":workload", of->workload);
	statement_set_text(&s, ":problem", of->problem);
	statement_set_text(&s, ":device_kind", of->device_kind);
	statement_set_text(&s, ":device_model", of->device_model);
	statement_set_text(&s, ":cache_policy", of->cache_policy);
	statement_set_int(&s, ":most", (int64_t)most);
	while (statement_next(&s, &status, e)) {
		const char *implementation = statement_take_text(&s);

		status = visit(user, implementation, statement_take_text(&s), e);
	}
	return status;
}

enum asc_status db_each_table_row(struct db *d, const char *reader, const char *file,
				  const char *key, db_table_row_fn *visit, void *user,
				  struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_earlier_tables);
	statement_set_text(&s, ":reader", reader);
	statement_set_text(&s, ":file", file);
	statement_set_text(&s, ":key", key);
	while (statement_next(&s, &status, e)) {
		const char *own = statement_take_text(&s);

		status = visit(user, own, statement_take_text(&s), e);
	}
	return status;
}
