#include "db/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/connection.h"
#include "db/db.h"
#include "db/merge_plan.h"
#include "db/statement.h"
#include "tuner/base/array.h"

/* ---- which row here is which row there ---- */

struct pair {
	int64_t there, here;
	bool fresh;   /* it came now */
	bool touched; /* it was here, and something of it came now */
	bool whole;   /* it was here, with all rows that are counted */
	bool skipped; /* a row of something whole, not looked for */
};

struct pairs {
	struct pair *list; /* in the order of `there` */
	size_t n, room;
};

/* Appends a pair; pairs come in the order of pair->there. */
static enum asc_status pairs_add(struct pairs *p, const struct pair *pair, struct asc_err *e)
{
	if (!array_room(&p->list, p->n, &p->room, sizeof *p->list))
		return asc_err_nomem(e);
	p->list[p->n++] = *pair;
	return ASC_OK;
}

static int compare_there(const void *key, const void *entry)
{
	int64_t a = *(const int64_t *)key, b = ((const struct pair *)entry)->there;

	return (a > b) - (a < b);
}

static struct pair *pairs_find(const struct pairs *p, int64_t there)
{
	return p->n ? bsearch(&there, p->list, p->n, sizeof *p->list, compare_there) : NULL;
}

static void pairs_fini(struct pairs *p)
{
	free(p->list);
	*p = (struct pairs){0};
}

/* ---- what is here in full ---- */

/* Pairs of a row's number and how many rows refer to it, in order: there, here. */
static enum asc_status count_rows(struct db *d, const char *sql, struct pairs *out,
				  struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql);
	while (statement_next(&s, &status, e)) {
		struct pair n = {.there = statement_take_int(&s)};

		n.here = statement_take_int(&s);
		status = pairs_add(out, &n, e);
	}
	return status;
}

static int64_t get_count(const struct pairs *counts, int64_t id)
{
	const struct pair *n = pairs_find(counts, id);

	return n ? n->here : 0;
}

static bool has_known(const struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i].fresh)
			return true;
	return false;
}

/* Sets pair->whole: runs that are here in full would be most of the work when a file is merged
 * again. `sql`: merge_table.counted. */
static enum asc_status pairs_mark_whole(struct pairs *owners, struct db *here, struct db *there,
					const char *sql, struct asc_err *e)
{
	struct pairs ours = {0}, theirs = {0};
	enum asc_status status = ASC_OK;

	if (has_known(owners))
		status = count_rows(here, sql, &ours, e) ? e->status
							 : count_rows(there, sql, &theirs, e);
	for (size_t i = 0; status == ASC_OK && i < owners->n; i++) {
		struct pair *p = &owners->list[i];

		p->whole = !p->fresh && get_count(&ours, p->here) >= get_count(&theirs, p->there);
	}
	pairs_fini(&ours);
	pairs_fini(&theirs);
	return status;
}

/* ---- what is newer ---- */

struct newest { /* run of a row */
	bool known;
	int64_t simulated, started_ms;
	unsigned char uid[64];
	size_t uid_bytes;
};

static enum asc_status find_newest(struct db *d, const char *sql, int64_t id, struct newest *out,
				   struct asc_err *e)
{
	struct statement s;

	*out = (struct newest){0};
	statement_begin(&s, d, sql);
	statement_bind_int(&s, id);
	enum asc_status status = statement_step(&s, &out->known, e);

	if (status == ASC_OK && out->known) {
		out->simulated = statement_take_int(&s);
		out->started_ms = statement_take_int(&s);
		const void *uid = statement_take_blob(&s, &out->uid_bytes);

		if (out->uid_bytes > sizeof out->uid)
			out->uid_bytes = sizeof out->uid;
		if (uid)
			memcpy(out->uid, uid, out->uid_bytes);
	}
	statement_end(&s);
	return status;
}

static bool is_newer(const struct newest *a, const struct newest *b)
{
	if (!a->known || !b->known)
		return a->known && !b->known;
	if (a->simulated != b->simulated)
		return b->simulated;
	if (a->started_ms != b->started_ms)
		return a->started_ms > b->started_ms;
	return memcmp(a->uid, b->uid, sizeof a->uid) > 0;
}

/* True when the newest run of row number `id` of the other file is newer than that of this one.
 * `sql`: merge_table.newer. The order is total, so that it does not matter which file is merged
 * into which. */
static enum asc_status pair_is_newer(const struct pair *p, struct db *here, struct db *there,
				     const char *sql, bool *out, struct asc_err *e)
{
	struct newest ours, theirs;

	if (find_newest(there, sql, p->there, &theirs, e) ||
	    find_newest(here, sql, p->here, &ours, e))
		return e->status;
	*out = is_newer(&theirs, &ours);
	return ASC_OK;
}

/* ---- one table ---- */

struct merge {
	struct db *here, *there;
	struct pairs pairs[MERGE_MAX_TABLES]; /* by index in merge_tables */
	int64_t added[MERGE_MAX_TABLES];
};

struct table {
	struct merge *merge;
	int index;
	struct merge_plan plan;
	struct statement read, find, add, change;
	struct pair *owners[MERGE_MAX_COLUMNS]; /* what the row at hand refers to */
};

static enum asc_status find_owners(struct table *t, struct asc_err *e)
{
	for (int i = 0; i < t->plan.n; i++) {
		int to = t->plan.refers[i];

		t->owners[i] = NULL;
		if (to < 0 || sqlite3_column_type(t->read.stmt, i) == SQLITE_NULL)
			continue;
		int64_t there = sqlite3_column_int64(t->read.stmt, i);

		t->owners[i] = pairs_find(&t->merge->pairs[to], there);
		if (!t->owners[i])
			return asc_err_set(e, ASC_INPUT,
					   "%s: damaged: table %s refers to %s %" PRId64
					   ", which is not there",
					   t->merge->there->path, t->plan.table->name,
					   merge_tables[to].name, there);
	}
	return ASC_OK;
}

/* The row at hand, as far as the statement asks for its columns. */
static void bind_row(struct table *t, struct statement *s)
{
	int n = sqlite3_bind_parameter_count(s->stmt);

	for (int i = 0; i < n; i++)
		if (t->owners[i])
			statement_bind_int(s, t->owners[i]->here);
		else if (i == t->plan.id)
			statement_bind_text(s, NULL);
		else
			statement_bind_value(s, sqlite3_column_value(t->read.stmt, i));
}

/* True for a row of something that was just copied: nothing of it can be here yet. */
static bool is_of_fresh(const struct table *t)
{
	for (int i = 0; i < t->plan.n; i++)
		if (t->plan.in_key[i] && t->owners[i] && t->owners[i]->fresh)
			return true;
	return false;
}

static enum asc_status find_row(struct table *t, bool *found, int64_t *id, bool *differs,
				struct asc_err *e)
{
	*found = false;
	if (is_of_fresh(t))
		return ASC_OK;
	bind_row(t, &t->find);
	enum asc_status status = statement_step(&t->find, found, e);

	if (status == ASC_OK && *found) {
		*id = statement_take_int(&t->find);
		*differs = statement_take_int(&t->find) != 0;
	}
	statement_end(&t->find);
	return status;
}

static void touch_owners(struct table *t)
{
	for (int i = 0; i < t->plan.n; i++)
		if (t->owners[i])
			t->owners[i]->touched = true;
}

static enum asc_status add_row(struct table *t, int64_t *id, struct asc_err *e)
{
	bind_row(t, &t->add);
	enum asc_status status = statement_run(&t->add, e);

	*id = sqlite3_last_insert_rowid(t->merge->here->sql);
	t->merge->added[t->index]++;
	touch_owners(t);
	return status;
}

/* ---- a row that both have ---- */

static enum asc_status change_row(struct table *t, struct pair *pair, struct asc_err *e)
{
	const struct merge *m = t->merge;
	const struct merge_table *kind = t->plan.table;
	bool theirs = kind->rule != MERGE_KEEP;
	enum asc_status status = ASC_OK;

	if (kind->rule == MERGE_NEWEST_RUN)
		status = pair_is_newer(pair, m->here, m->there, kind->newer, &theirs, e);
	if (status != ASC_OK || !theirs)
		return status;
	bind_row(t, &t->change);
	status = statement_run(&t->change, e);
	pair->touched = sqlite3_changes(m->here->sql) > 0;
	if (pair->touched)
		touch_owners(t);
	return status;
}

/* ---- copying ---- */

/* True for a row of something that is here in full: such rows need no lookup. */
static bool is_of_whole(const struct table *t)
{
	for (int i = 0; i < t->plan.n; i++)
		if (t->owners[i] &&
		    (t->owners[i]->skipped || (t->plan.table->counted && t->owners[i]->whole)))
			return true;
	return false;
}

static enum asc_status copy_row(struct table *t, struct asc_err *e)
{
	struct pair pair = {0};
	bool found, differs = false;

	if (find_owners(t, e))
		return e->status;
	if (t->plan.id >= 0)
		pair.there = sqlite3_column_int64(t->read.stmt, t->plan.id);
	pair.skipped = is_of_whole(t);
	if (!pair.skipped) {
		if (find_row(t, &found, &pair.here, &differs, e) ||
		    (!found ? add_row(t, &pair.here, e) : differs && change_row(t, &pair, e)))
			return e->status;
		pair.fresh = !found;
	}
	return t->plan.id >= 0 ? pairs_add(&t->merge->pairs[t->index], &pair, e) : ASC_OK;
}

static enum asc_status copy_table(struct merge *m, int index, struct asc_err *e)
{
	struct table t = {.merge = m, .index = index};
	enum asc_status status = merge_plan_init(&t.plan, m->there, &merge_tables[index], e);

	if (status == ASC_OK) {
		statement_prepare(&t.read, m->there, buf_str(&t.plan.read));
		statement_prepare(&t.find, m->here, buf_str(&t.plan.find));
		statement_prepare(&t.add, m->here, buf_str(&t.plan.add));
		statement_prepare(&t.change, m->here, buf_str(&t.plan.change));
		while (statement_next(&t.read, &status, e))
			status = copy_row(&t, e);
	}
	statement_drop(&t.read);
	statement_drop(&t.find);
	statement_drop(&t.add);
	statement_drop(&t.change);
	merge_plan_fini(&t.plan);
	return status;
}

static int find_index(const char *table)
{
	int i = 0;

	while (strcmp(merge_tables[i].name, table) != 0)
		i++;
	return i;
}

static enum asc_status copy_tables(struct merge *m, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (int i = 0; status == ASC_OK && merge_tables[i].name; i++) {
		if (merge_tables[i].counted)
			status = pairs_mark_whole(&m->pairs[find_index("run")], m->here, m->there,
						  merge_tables[i].counted, e);
		if (status == ASC_OK)
			status = copy_table(m, i, e);
	}
	return status;
}

static void count(const struct merge *m, struct db_merged *out)
{
	const struct pairs *runs = &m->pairs[find_index("run")];

	*out = (struct db_merged){.runs = m->added[find_index("run")],
				  .trials = m->added[find_index("trial")],
				  .acknowledgements = m->added[find_index("acknowledgement")]};
	for (size_t i = 0; i < runs->n; i++)
		if (!runs->list[i].fresh)
			*(runs->list[i].touched ? &out->completed : &out->known) += 1;
}

/* ---- two files ---- */

static enum asc_status check_apart(const struct db *d, const char *path, struct asc_err *e)
{
	struct stat here, there;

	if (stat(d->path, &here) || stat(path, &there)) /* opening says why */
		return ASC_OK;
	if (here.st_dev != there.st_dev || here.st_ino != there.st_ino)
		return ASC_OK;
	return asc_err_set(e, ASC_USAGE, "%s and %s are the same file", path, d->path);
}

/* The other file is read as it is at one moment: somebody may be recording into it. */
static enum asc_status merge_all(struct merge *m, struct asc_err *e)
{
	enum asc_status status = db_exec(m->there, "BEGIN", e);

	if (status != ASC_OK)
		return status;
	status = transaction_begin(m->here, e);
	if (status == ASC_OK)
		status = transaction_end(m->here, copy_tables(m, e), e);
	sqlite3_exec(m->there->sql, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

enum asc_status db_merge(struct db *d, const char *path, struct db_merged *out, struct asc_err *e)
{
	struct merge m = {.here = d};
	enum asc_status status = check_apart(d, path, e);

	*out = (struct db_merged){0};
	if (status == ASC_OK)
		status = db_open(path, DB_READ, &m.there, e);
	if (status == ASC_OK)
		status = merge_all(&m, e);
	if (status == ASC_OK)
		count(&m, out);
	db_close(m.there);
	for (size_t i = 0; i < MERGE_MAX_TABLES; i++)
		pairs_fini(&m.pairs[i]);
	return status;
}
