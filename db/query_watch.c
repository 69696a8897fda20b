#include "db/watch.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

/* ---- the file ---- */

static void add_mark(const char *path, struct buf *out)
{
	struct stat s;

	if (stat(path, &s))
		return;
	const int64_t facts[] = {(int64_t)s.st_dev, (int64_t)s.st_ino, (int64_t)s.st_size,
				 (int64_t)s.st_mtim.tv_sec, (int64_t)s.st_mtim.tv_nsec};

	buf_add(out, facts, sizeof facts);
}

uint64_t db_find_mark(const char *path)
{
	struct buf facts = {0};
	char *log = str_print("%s-wal", path);

	add_mark(path, &facts);
	if (facts.len > 0 && log) /* what is recorded reaches the log first, the file much later */
		add_mark(log, &facts);
	/* 0 means that there is no file: any other mark is odd. */
	uint64_t mark = facts.len > 0 ? hash_bytes(facts.data, facts.len) | 1 : 0;

	buf_fini(&facts);
	free(log);
	return mark;
}

/* ---- trials ---- */

enum asc_status db_find_newest(struct db *d, int64_t *id, struct asc_err *e)
{
	struct statement s;
	bool found;

	statement_begin(&s, d, sql_find_newest_trial);
	return statement_run_int(&s, id, &found, e);
}

enum asc_status db_each_news(struct db *d, int64_t after, db_news_fn *visit, void *user,
			     struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_news);
	statement_set_int(&s, ":after", after);
	while (statement_next(&s, &status, e)) {
		struct db_news n = {.id = statement_take_int(&s)};

		n.run_id = statement_take_int(&s);
		n.recorded_ms = statement_take_int(&s);
		n.status = statement_take_text(&s);
		status = visit(user, &n, e);
	}
	return status;
}

/* ---- runs ---- */

enum asc_status db_each_going(struct db *d, const char *workload, int64_t most, db_going_fn *visit,
			      void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_each_going);
	statement_set_text(&s, ":workload", workload);
	statement_set_int(&s, ":most", most);
	while (statement_next(&s, &status, e)) {
		struct db_going r = {.run_id = statement_take_int(&s)};

		r.started_ms = statement_take_int(&s);
		r.ended_ms = statement_take_int(&s);
		statement_take_texts(&s, (const char **const[]){&r.workload, &r.problem,
								&r.device_kind, &r.device_model,
								&r.budget, &r.outcome, NULL});
		status = visit(user, &r, e);
	}
	return status;
}
