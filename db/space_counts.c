/* Records the counts of a run's spaces: all configurations, and those that each condition removes.
 */
#include "db/connection.h"
#include "db/db.h"
#include "db/run_view.h"
#include "db/sql.h"
#include "db/statement.h"

static enum asc_status add_one(struct db *d, int64_t run_id, int64_t implementation_id,
			       size_t place, const struct db_space_count *c, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_add_space_count);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_int(&s, ":place", (int64_t)place);
	statement_set_text(&s, ":kind", c->kind);
	statement_set_text(&s, ":origin", c->origin);
	statement_set_text(&s, ":text", c->text);
	statement_set_real(&s, ":configurations", c->configurations);
	return statement_run(&s, e);
}

enum asc_status db_add_space(struct db *d, int64_t run_id, const struct db_implementation *i,
			     const struct db_space_count *list, size_t n, struct asc_err *e)
{
	int64_t implementation_id = 0;
	enum asc_status status = transaction_begin(d, e);

	if (status != ASC_OK)
		return status;
	status = db_put_implementation(d, i, &implementation_id, e);
	for (size_t k = 0; status == ASC_OK && k < n; k++)
		status = add_one(d, run_id, implementation_id, k, &list[k], e);
	return transaction_end(d, status, e);
}

enum asc_status db_each_space_count(struct db *d, int64_t run_id, db_space_count_fn *visit,
				    void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_load_space_counts);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		struct db_space_count c;
		const char *implementation = statement_take_text(&s);

		statement_take_texts(&s, (const char **const[]){&c.kind, &c.origin, &c.text, NULL});
		c.configurations = statement_take_real(&s);
		status = visit(user, implementation, &c, e);
	}
	return status;
}
