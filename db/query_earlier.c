#include "db/earlier.h"

#include "db/connection.h"
#include "db/statement.h"

/* Name of the implementation of imports that name none (reports/import). */
#define IMPORTED "imported"

/* Times of a stand-in teach nothing. Runs are found by device and problem, in an index that has all
 * that is asked of them. With max(), SQLite takes the other columns from the row that has it. */
static const char each_source[] =
	"SELECT r.id, i.id, r.simulated, w.name, p.name, v.kind, v.model, p.dims_json,"
	"  r.cache_policy, max(r.started_ms) AS newest_ms"
	" FROM workload w JOIN problem p ON p.workload_id = w.id CROSS JOIN device v"
	" CROSS JOIN run r ON r.device_id = v.id AND r.problem_id = p.id"
	" CROSS JOIN run_implementation x ON x.run_id = r.id"
	" JOIN implementation i ON i.id = x.implementation_id"
	" WHERE (w.name = ?1 OR w.operator = ?2)"
	"  AND (i.name = ?3 OR (i.name = '" IMPORTED "' AND r.imported))"
	"  AND r.simulated = r.imported"
	" GROUP BY r.device_id, r.problem_id, i.id, r.simulated, r.cache_policy"
	" ORDER BY newest_ms DESC, r.id DESC, i.id DESC LIMIT 1024";

enum asc_status db_each_earlier_source(struct db *d, const struct db_kernel *k,
				       db_earlier_source_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_source);
	statement_bind_text(&s, k->workload);
	statement_bind_text(&s, k->operator_name);
	statement_bind_text(&s, k->implementation);
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

/* Newest trial of each configuration, again with max(). The hash of its key orders the sample.
 */
static const char each_result[] =
	"WITH runs AS MATERIALIZED (SELECT r.id FROM run own JOIN run r"
	"  ON r.device_id = own.device_id AND r.problem_id = own.problem_id"
	"   AND r.simulated = own.simulated AND r.cache_policy IS own.cache_policy"
	"  WHERE own.id = ?1 ORDER BY r.started_ms DESC, r.id DESC LIMIT 16),"
	" tried AS (SELECT t.id, t.config_hash, t.config_key, t.config_json, t.status, t.median_ns"
	"  FROM runs r CROSS JOIN trial t ON t.run_id = r.id AND t.implementation_id = ?2"
	"  LIMIT 16384),"
	" newest AS (SELECT max(id), config_hash, config_key, config_json, status, median_ns"
	"  FROM tried GROUP BY config_hash, config_key),"
	" placed AS (SELECT *, row_number() OVER (ORDER BY median_ns, config_key) AS place"
	"  FROM newest WHERE status" DB_PASSED " AND median_ns > 0)"
	" SELECT config_json, median_ns FROM placed"
	" ORDER BY min(place, ?3 / 4 + 1), config_hash, config_key LIMIT ?3";

enum asc_status db_each_earlier_result(struct db *d, int64_t run_id, int64_t implementation_id,
				       db_earlier_result_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, each_result);
	statement_bind_int(&s, run_id);
	statement_bind_int(&s, implementation_id);
	statement_bind_int(&s, DB_EARLIER_MOST);
	while (statement_next(&s, &status, e)) {
		const char *config_json = statement_take_text(&s);

		status = visit(user, config_json, statement_take_real(&s), e);
	}
	return status;
}
