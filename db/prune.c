#include "db/prune.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

enum {
	BATCH = 30000, /* trials in a transaction: it takes some 400 ms, for which others wait */
	/* Pages of the log before they are put in their places, 32 MB: an index is by hash, so that
	   each transaction changes most of its pages. */
	LOG_PAGES = 32768,
	KNOWN = 1 << 16 /* 5 MB; a configuration whose place is taken is asked for again */
};

struct old_run {
	int64_t id, kind, trials; /* kind: equal for equal subject and policies */
	bool removable;           /* rows of losers may go */
};

/* Place of a trial in time. Its figures mostly rise together. */
struct moment {
	int64_t run, started_ms, trial, recorded_ms;
};

/* Trials by which rows of one configuration that ended alike may go. Runs are pruned from the
 * newest to the oldest: that of the newest night mostly holds for all others. */
struct followers {
	int64_t kind, implementation, config_hash;
	uint64_t digest;         /* of its key and status; 0: nothing asked yet */
	int64_t until;           /* trials of later runs than this one were looked at: */
	struct moment last, top; /* the last that one could go by; the highest figures of any */
};

struct pruning {
	struct db *db;
	bool dry_run;
	struct db_pruned *out;
	struct old_run *runs;
	size_t n_runs, runs_room;
	struct followers *known; /* KNOWN of them, by their hashes */
};

/* The log is left out: while others record it is folded in when they have ended. */
static enum asc_status count_bytes(struct db *d, int64_t *out, struct asc_err *e)
{
	struct statement s;
	bool found = false;

	statement_begin(&s, d, sql_prune_bytes);
	return statement_run_int(&s, out, &found, e);
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

		r.kind = statement_take_int(&s);
		r.trials = statement_take_int(&s);
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

/* Runs a statement on the rows that are listed, "[1,2,3". */
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

/* Digest of the next two columns, a key and a status; never 0. */
static uint64_t digest_texts(struct statement *s)
{
	const char *key = statement_take_text(s);
	const uint64_t of_key = hash_bytes(key, strlen(key));
	const char *status = statement_take_text(s);

	return (of_key * 31 + hash_bytes(status, strlen(status))) | 1;
}

static void list(struct buf *ids, int64_t id)
{
	buf_print(ids, "%c%" PRId64, ids->len ? ',' : '[', id);
}

/* True where the row of `a` may go by `b`, a trial of the same configuration that ended alike or
 * passed. */
static bool is_after(const struct moment *a, const struct moment *b)
{
	return b->run > a->run && b->trial > a->trial && b->started_ms >= a->started_ms &&
	       b->recorded_ms >= a->recorded_ms;
}

static int64_t higher(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Looks at trials from f->until back to run `at` for one by which the trial `at` may go. */
static enum asc_status look(struct pruning *p, struct followers *f, const struct moment *at,
			    bool *found, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	*found = false;
	statement_begin(&s, p->db, sql_prune_again);
	statement_set_int(&s, ":trial_id", at->trial);
	statement_set_int(&s, ":until", f->until);
	while (!*found && statement_next(&s, &status, e)) {
		struct moment m = {.run = statement_take_int(&s)};

		m.started_ms = statement_take_int(&s);
		m.trial = statement_take_int(&s);
		m.recorded_ms = statement_take_int(&s);
		f->top.run = higher(f->top.run, m.run);
		f->top.started_ms = higher(f->top.started_ms, m.started_ms);
		f->top.trial = higher(f->top.trial, m.trial);
		f->top.recorded_ms = higher(f->top.recorded_ms, m.recorded_ms);
		*found = is_after(at, &m);
		if (*found)
			f->last = m;
	}
	if (*found)
		statement_end(&s);
	f->until = *found ? f->last.run : at->run;
	return status;
}

/* Sets *goes where a later search has tried the configuration of the trial `at` again. What earlier
 * calls have looked at is looked at again only where clocks were turned back. */
static enum asc_status find_follower(struct pruning *p, const struct followers *wanted,
				     const struct moment *at, bool *goes, struct asc_err *e)
{
	const uint64_t place = hash_bytes(wanted, offsetof(struct followers, until));
	struct followers *f = &p->known[place % KNOWN];

	if (f->digest != wanted->digest || f->config_hash != wanted->config_hash ||
	    f->implementation != wanted->implementation || f->kind != wanted->kind)
		*f = *wanted;
	*goes = is_after(at, &f->last);
	if (!*goes && look(p, f, at, goes, e))
		return e->status;
	if (*goes || !is_after(at, &f->top))
		return ASC_OK;
	f->until = INT64_MAX;
	return look(p, f, at, goes, e);
}

/* Prunes `n` runs. Finds their losers first: rows must not change under the statement that lists
 * them. */
static enum asc_status prune_runs(struct pruning *p, const struct old_run *runs, size_t n,
				  struct asc_err *e)
{
	struct buf asked = {0}, shorter = {0}, gone = {0}, cut = {0};
	struct statement s;
	enum asc_status status = ASC_OK;
	const struct old_run *last = NULL, *last_shorter = NULL;

	for (size_t i = 0; i < n; i++)
		list(&asked, runs[i].id);
	buf_add_char(&asked, ']');
	if (buf_check(&asked, e))
		return e->status;
	statement_begin(&s, p->db, sql_prune_losers);
	statement_set_text(&s, ":runs", buf_str(&asked));
	while (statement_next(&s, &status, e)) {
		const struct old_run *run = &runs[statement_take_int(&s)];
		const int64_t id = statement_take_int(&s);
		const int64_t sample_bytes = statement_take_int(&s);
		const int64_t log_bytes = statement_take_int(&s);
		struct followers wanted = {.kind = run->kind, .until = INT64_MAX};
		struct moment at = {.run = run->id, .trial = id};
		bool goes = false;

		at.started_ms = statement_take_int(&s);
		at.recorded_ms = statement_take_int(&s);
		wanted.implementation = statement_take_int(&s);
		wanted.config_hash = statement_take_int(&s);
		wanted.digest = digest_texts(&s);
		if (run->removable && find_follower(p, &wanted, &at, &goes, e)) {
			status = e->status;
			continue;
		}
		if (!goes && sample_bytes == 0 && log_bytes == 0)
			continue;
		p->out->sample_bytes += sample_bytes;
		p->out->log_bytes += log_bytes;
		p->out->runs += run != last;
		p->out->trials++;
		p->out->removed += goes;
		list(goes ? &gone : &cut, id);
		if (goes && run != last_shorter)
			list(&shorter, (last_shorter = run)->id);
		last = run;
	}
	if (status == ASC_OK)
		status = run_on(p, sql_prune_counts, &shorter, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_metrics, &gone, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_rows, &gone, e);
	if (status == ASC_OK)
		status = run_on(p, sql_prune_texts, &cut, e);
	buf_fini(&asked);
	buf_fini(&shorter);
	buf_fini(&gone);
	buf_fini(&cut);
	return status;
}

/* Prunes runs from *next on in one transaction; what is counted is what was committed. */
static enum asc_status prune_batch(struct pruning *p, size_t *next, struct asc_err *e)
{
	const struct db_pruned before = *p->out;
	const struct old_run *first = p->runs + *next;
	enum asc_status status = p->dry_run ? ASC_OK : transaction_begin(p->db, e);
	int64_t trials = 0;

	if (status != ASC_OK)
		return status;
	while (*next < p->n_runs && trials < BATCH)
		trials += p->runs[(*next)++].trials;
	status = prune_runs(p, first, (size_t)(p->runs + *next - first), e);
	if (!p->dry_run)
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
	struct pruning p = {
		.db = d, .dry_run = dry_run, .out = out, .known = calloc(KNOWN, sizeof *p.known)};

	*out = (struct db_pruned){0};
	if (!p.known)
		return asc_err_nomem(e);
	enum asc_status status = count_bytes(d, &out->bytes_before, e);

	out->bytes_after = out->bytes_before;
	if (status == ASC_OK)
		status = read_runs(&p, rule, e);
	if (status == ASC_OK)
		status = prune_all(&p, e);
	/* One that was killed may have dropped, and not written the file anew. */
	if (status == ASC_OK && !dry_run)
		status = shrink(d, e);
	if (status == ASC_OK)
		status = count_bytes(d, &out->bytes_after, e);
	free(p.runs);
	free(p.known);
	return status;
}
