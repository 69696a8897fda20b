/* The part of history.h about verdicts: what re-measuring said of a change. */
#include "db/history.h"

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"

static enum asc_status put_series(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d, sql_put_series);
	statement_set_int(&s, ":run_id", v->run_id);
	statement_set_text(&s, ":implementation", v->implementation);
	statement_set_text(&s, ":figure", v->figure);
	return statement_run(&s, e);
}

static enum asc_status put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
	struct statement s;
	int64_t id;
	bool found = false;

	statement_begin(&s, d, sql_put_verdict);
	statement_set_int(&s, ":run_id", v->run_id);
	statement_set_text(&s, ":implementation", v->implementation);
	statement_set_text(&s, ":figure", v->figure);
	statement_set_text(&s, ":kind", v->kind);
	statement_set_real(&s, ":ratio", v->ratio);
	statement_set_int(&s, ":made_ms", v->made_ms);
	statement_set_text(&s, ":note", v->note);
	statement_set_text(&s, ":yields_to", v->yields_to);
	enum asc_status status = statement_run_int(&s, &id, &found, e);

	return status == ASC_OK && !found ? db_fail_run(d, v->run_id, e) : status;
}

enum asc_status db_put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
	/* The series is there before the verdict refers to it; alone it says nothing. */
	if (transaction_begin(d, e))
		return e->status;
	enum asc_status status = put_series(d, v, e);

	if (status == ASC_OK)
		status = put_verdict(d, v, e);
	return transaction_end(d, status, e);
}

enum asc_status db_each_verdict(struct db *d, db_verdict_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_verdict);
	while (statement_next(&s, &status, e)) {
		struct db_verdict v;

		statement_take_texts(&s, (const char **const[]){&v.implementation, &v.figure,
								&v.kind, &v.note, NULL});
		v.run_id = statement_take_int(&s);
		v.made_ms = statement_take_int(&s);
		v.started_ms = statement_take_int(&s);
		v.ratio = statement_take_real(&s);
		status = visit(user, &v, e);
	}
	return status;
}
