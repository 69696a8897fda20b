#include "db/share.h"

#include <inttypes.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"

enum asc_status db_begin_share(struct db *d, const struct db_share *v, int64_t *share_id,
			       struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, sql_add_share);
	statement_set_int(&s, ":number", v->number);
	statement_set_int(&s, ":count", v->count);
	statement_set_text(&s, ":way", v->way);
	statement_set_text(&s, ":dealt", v->dealt);
	statement_set_int(&s, ":problems", v->problems);
	statement_set_int(&s, ":all_problems", v->all_problems);
	statement_set_int(&s, ":seed", (int64_t)v->seed);
	statement_set_text(&s, ":version", v->version);
	statement_set_text(&s, ":history", v->history);
	statement_set_int(&s, ":now_ms", db_now_ms());
	return statement_run_int(&s, share_id, &found, e);
}

enum asc_status db_end_share(struct db *d, int64_t share_id, const char *outcome, struct asc_err *e)
{
	struct statement s;

	/* The last chance to say that results went into a file that is not there any more. */
	if (file_state_check(d, e))
		return e->status;
	statement_begin(&s, d, sql_end_share);
	statement_set_int(&s, ":share_id", share_id);
	statement_set_text(&s, ":outcome", outcome);
	statement_set_int(&s, ":now_ms", db_now_ms());
	return statement_run(&s, e);
}

enum asc_status db_each_share(struct db *d, db_share_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_share);
	while (statement_next(&s, &status, e)) {
		struct db_share_state v = {.uid = statement_take_text(&s)};

		v.share.number = statement_take_int(&s);
		v.share.count = statement_take_int(&s);
		statement_take_texts(&s,
				     (const char **const[]){&v.share.way, &v.share.dealt, NULL});
		v.share.problems = statement_take_int(&s);
		v.share.all_problems = statement_take_int(&s);
		v.share.seed = (uint64_t)statement_take_int(&s);
		statement_take_texts(
			&s, (const char **const[]){&v.share.version, &v.share.history, NULL});
		v.started_ms = statement_take_int(&s);
		/* A share that has ended without an outcome is of another program. */
		const bool ended = !statement_next_is_null(&s);

		(void)statement_take_int(&s);
		v.outcome = statement_take_text(&s);
		v.outcome = ended ? v.outcome : NULL;
		status = visit(user, &v, e);
	}
	return status;
}

enum asc_status db_digest_runs(struct db *d, char text[HASH_TEXT_SIZE], struct asc_err *e)
{
	struct statement s;
	struct hash h;
	enum asc_status status = ASC_OK;
	struct asc_err second;

	hash_init(&h);
	statement_begin(&s, d, sql_each_run_uid);
	while (statement_next(&s, &status, e)) {
		size_t n;
		const void *uid = statement_take_blob(&s, &n);

		hash_add(&h, uid, n);
		const int64_t ended_ms = statement_take_int(&s);

		hash_add(&h, &ended_ms, sizeof ended_ms);
	}
	const enum asc_status ended = hash_end(&h, text, status ? &second : e);

	return status ? status : ended;
}
