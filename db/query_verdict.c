/* The part of history.h about verdicts: what re-measuring said of a change. */
#include "db/history.h"

#include "db/connection.h"
#include "db/statement.h"

static enum asc_status put_series(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, d,
			"INSERT INTO series(device_id, problem_id, implementation, figure)"
			" SELECT device_id, problem_id, ?2, ?3 FROM run WHERE id = ?1"
			" ON CONFLICT DO NOTHING");
	statement_bind_int(&s, v->run_id);
	statement_bind_text(&s, v->implementation);
	statement_bind_text(&s, v->figure);
	return statement_run(&s, e);
}

static enum asc_status put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
	struct statement s;
	int64_t id;
	bool found = false;

	statement_begin(
		&s, d,
		"INSERT INTO verdict(series_id, run_id, kind, ratio, made_ms, note)"
		" SELECT x.id, r.id, ?4, ?5, ?6, ?7 FROM run r"
		" JOIN series x ON x.device_id = r.device_id AND x.problem_id = r.problem_id"
		"  AND x.implementation = ?2 AND x.config_key = '' AND x.figure = ?3"
		" WHERE r.id = ?1"
		" ON CONFLICT(series_id, run_id) DO UPDATE SET"
		"  kind = iif(kind IS ?8, kind, excluded.kind),"
		"  ratio = iif(kind IS ?8, ratio, excluded.ratio),"
		"  made_ms = iif(kind IS ?8, made_ms, excluded.made_ms),"
		"  note = iif(kind IS ?8, note, excluded.note)"
		" RETURNING id");
	statement_bind_int(&s, v->run_id);
	statement_bind_text(&s, v->implementation);
	statement_bind_text(&s, v->figure);
	statement_bind_text(&s, v->kind);
	statement_bind_real(&s, v->ratio);
	statement_bind_int(&s, v->made_ms);
	statement_bind_text(&s, v->note);
	statement_bind_text(&s, v->yields_to);
	enum asc_status status = statement_run_int(&s, &id, &found, e);

	return status == ASC_OK && !found ? db_fail_run(d, v->run_id, e) : status;
}

enum asc_status db_put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e)
{
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

	statement_begin(&s, d,
			"SELECT x.implementation, x.figure, v.kind, v.note, v.run_id, v.made_ms,"
			" r.started_ms, v.ratio FROM verdict v JOIN series x ON x.id = v.series_id"
			" JOIN run r ON r.id = v.run_id"
			" ORDER BY v.made_ms, v.id");
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
