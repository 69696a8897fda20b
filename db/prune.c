#include "db/prune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

enum {
	BATCH = 30000, /* trials in a transaction: it takes some 400 ms, for which others wait */
	/* Pages of the log before they are put in their places, 32 MB: an index is by hash, so that
	   each transaction changes most of its pages. */
	LOG_PAGES = 32768
};

struct old_run {
	int64_t id, device_id, problem_id;
	bool removable; /* rows of losers may go */
};

struct pruning {
	struct db *db;
	bool dry_run;
	struct db_pruned *out;
	struct old_run *runs;
	size_t n_runs, runs_room;
};

static int64_t count_bytes(const char *path)
{
	static const char *const parts[] = {"", "-wal"};
	int64_t bytes = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *part = str_print("%s%s", path, parts[i]);
		struct stat info;

		bytes += part && stat(part, &info) == 0 ? info.st_size : 0;
		free(part);
	}
	return bytes;
}

static enum asc_status read_runs(struct pruning *p, const struct db_prune_rule *rule,
				 struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, p->db, sql_prune_runs);
	statement_set_int(&s, ":before_ms", rule->before_ms);
	statement_set_int(&s, ":newest", rule->newest);
	while (statement_next(&s, &status, e)) {
		struct old_run r = {.id = statement_take_int(&s)};

		r.device_id = statement_take_int(&s);
		r.problem_id = statement_take_int(&s);
		const bool kept = statement_take_int(&s), busy = statement_take_int(&s);

		r.removable = statement_take_int(&s) != 0;
		p->out->kept += kept;
		p->out->busy += busy && !kept;
		if (kept || busy)
			continue;
		if (array_room(&p->runs, p->n_runs, &p->runs_room, sizeof *p->runs))
			p->runs[p->n_runs++] = r;
		else
			status = asc_err_nomem(e);
	}
	return status;
}

/* Runs a statement on the trials that are listed, "1,2,3". */
static enum asc_status run_on(struct pruning *p, const char *sql, struct buf *ids,
			      struct asc_err *e)
{
	struct statement s;

	if (ids->len == 0 || p->dry_run)
		return ASC_OK;
	buf_add_char(ids, ']');
	if (buf_check(ids, e))
		return e->status;
	statement_begin(&s, p->db, sql);
	statement_set_text(&s, ":ids", buf_str(ids));
	const enum asc_status status = statement_run(&s, e);

	ids->len--;
	return status;
}

static enum asc_status count_run(struct pruning *p, int64_t run_id, struct asc_err *e)
{
	struct statement s;

	statement_begin(&s, p->db, sql_prune_counts);
	statement_set_int(&s, ":run_id", run_id);
	return statement_run(&s, e);
}

/* Finds the losers of a run first: rows must not change under the statement that lists them. */
static enum asc_status prune_run(struct pruning *p, const struct old_run *r, struct asc_err *e)
{
	struct buf gone = {0}, cut = {0};
	struct statement s;
	enum asc_status status = ASC_OK;
	int64_t n = 0, removed = 0;

	statement_begin(&s, p->db, sql_prune_losers);
	statement_set_int(&s, ":run_id", r->id);
	statement_set_int(&s, ":removable", r->removable);
	statement_set_int(&s, ":device_id", r->device_id);
	statement_set_int(&s, ":problem_id", r->problem_id);
	while (statement_next(&s, &status, e)) {
		const int64_t id = statement_take_int(&s);
		const int64_t sample_bytes = statement_take_int(&s);
		const int64_t log_bytes = statement_take_int(&s);
		const bool goes = statement_take_int(&s) != 0;
		struct buf *ids = goes ? &gone : &cut;

		/* Asked here: in the statement's own condition SQLite would look twice whether it
		 * goes. */
		if (!goes && sample_bytes == 0 && log_bytes == 0)
			continue;
		p->out->sample_bytes += sample_bytes;
		p->out->log_bytes += log_bytes;

		buf_print(ids, "%c%" PRId64, ids->len ? ',' : '[', id);
		removed += goes;
		n++;
	}
	if (status == ASC_OK && removed > 0 && !p->dry_run)
		status = count_run(p, r->id, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_metrics, &gone, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_rows, &gone, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_texts, &cut, e);
	p->out->runs += n > 0;
	p->out->trials += n;
	p->out->removed += removed;
	buf_fini(&gone);
	buf_fini(&cut);
	return status;
}

/* Prunes runs from *next on in one transaction; what is counted is what was committed. */
static enum asc_status prune_batch(struct pruning *p, size_t *next, struct asc_err *e)
{
	const struct db_pruned before = *p->out;
	enum asc_status status = transaction_begin(p->db, e);

	if (status != ASC_OK)
		return status;
	for (; *next < p->n_runs && p->out->trials - before.trials < BATCH && status == ASC_OK;
	     ++*next)
		status = prune_run(p, &p->runs[*next], e);
	status = transaction_end(p->db, status, e);
	if (status != ASC_OK)
		*p->out = before;
	return status;
}

static enum asc_status prune_all(struct pruning *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t next = 0;

	/* Indexes lose rows at all places. */
	if (db_exec(p->db, "PRAGMA cache_size=-49152", e))
		return e->status;
	sqlite3_wal_autocheckpoint(p->db->sql, LOG_PAGES);
	/* No answer changes, so none is stale; metrics, which alone refer to trials, go first. */
	sqlite3_db_config(p->db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(p->db->sql, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
	while (next < p->n_runs && status == ASC_OK)
		if (p->dry_run)
			status = prune_run(p, &p->runs[next++], e);
		else
			status = prune_batch(p, &next, e);
	sqlite3_db_config(p->db->sql, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	sqlite3_db_config(p->db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
	return status;
}

/* Writes the file anew without the room that was dropped, which within pages no row can use. SQLite
 * does that in one transaction. Others may be reading: then the log is emptied, and the file cut,
 * when they have ended. */
static enum asc_status shrink(struct db *d, struct asc_err *e)
{
	enum asc_status status = db_exec(d, "VACUUM", e);

	if (status == ASC_OK)
		(void)sqlite3_wal_checkpoint_v2(d->sql, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						NULL);
	return status;
}

enum asc_status db_prune(struct db *d, const struct db_prune_rule *rule, bool dry_run,
			 struct db_pruned *out, struct asc_err *e)
{
	struct pruning p = {.db = d, .dry_run = dry_run, .out = out};

	*out = (struct db_pruned){.bytes_before = count_bytes(d->path)};
	enum asc_status status = read_runs(&p, rule, e);

	if (status == ASC_OK)
		status = prune_all(&p, e);
	/* One that was killed may have dropped, and not written the file anew. */
	if (status == ASC_OK && !dry_run)
		status = shrink(d, e);
	out->bytes_after = count_bytes(d->path);
	free(p.runs);
	return status;
}
