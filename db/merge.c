/* How a merge goes. The other file is attached to the connection as `there`, beside `main`. The
 * tables follow one another, those that others refer to first. Each with a column `id` gets a map,
 * a temporary table that says for each row there which row here is the same:
 *
 * 1. all that a row there refers to has to be in the maps, else that file is damaged;
 * 2. the map: rows that are known by their key, then numbers for those that are not, in the order
 *    of the other file's;
 * 3. rows that both have and that change by the table's rule;
 * 4. rows that come, as they are there, but for the numbers, which the maps translate.
 *
 * A run that is here in full would be most of the work when a file is merged again: its trials and
 * what belongs to these are not looked at (those that are in the map have NULL as their place).
 *
 * Columns and what they refer to are the schema's own, so that a new column comes along: the
 * statements are templates, in which @WORD stands for a list over the columns (struct word). */
#include "db/merge.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "db/connection.h"
#include "db/db.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

/* ---- the tables ---- */

enum merge_rule {                   /* for a row that both files have */
		  MERGE_KEEP,       /* it stays: a row never changes */
		  MERGE_FILL,       /* what is NULL here comes from there */
		  MERGE_PASSED,     /* the one whose status is ok stands */
		  MERGE_NEWER,      /* the one with the greater `newer` stands */
		  MERGE_NEWEST_RUN, /* the one of the newest run stands, a measured one before a
				       simulated */
};

struct merge_table {
	const char *name;
	const char *key;   /* columns that tell rows apart, what they refer to counts by content */
	const char *newer; /* MERGE_NEWER: a column; MERGE_NEWEST_RUN: the column of a run, or of
			      its problem, that refers to the row */
	enum merge_rule rule;
	bool counted; /* rows of a run are only added, or pass in finals, so that all are here as
			 they are there when as many are, those that passed twice */
};

/* Tables, those that others refer to first. A trial has no key of its own: a run does not try a
 * configuration twice at one moment. */
static const struct merge_table tables[] = {
	{"device", "fingerprint", "r.device_id", MERGE_NEWEST_RUN, false},
	{"workload", "name", "p.workload_id", MERGE_NEWEST_RUN, false},
	{"problem", "workload_id name key", "r.problem_id", MERGE_NEWEST_RUN, false},
	{"implementation", "name key idx", NULL, MERGE_FILL, false},
	{"metric_name", "probe name unit", NULL, MERGE_KEEP, false},
	{"share", "uid", NULL, MERGE_FILL, false},
	{"run", "uid", NULL, MERGE_FILL, false},
	{"run_implementation", "run_id implementation_id", NULL, MERGE_KEEP, false},
	{"run_space", "run_id implementation_id place", NULL, MERGE_KEEP, false},
	{"trial", "run_id implementation_id config_hash config_key recorded_ms", NULL, MERGE_PASSED,
	 true},
	{"metric", "trial_id name_id", NULL, MERGE_KEEP, false},
	{"run_tried", "run_id implementation_id status", NULL, MERGE_KEEP, false},
	{"final", "run_id implementation_id config_key", NULL, MERGE_KEEP, false},
	{"profile", "run_id implementation_id config_key", NULL, MERGE_KEEP, false},
	{"reading", "profile_id call name_id", NULL, MERGE_KEEP, false},
	{"peak", "device_id unit type", "rate", MERGE_NEWER, false},
	{"series", "device_id problem_id implementation config_key figure", NULL, MERGE_KEEP,
	 false},
	{"verdict", "series_id run_id", "made_ms", MERGE_NEWER, false},
	{"acknowledgement", "series since_ms made_ms reason", NULL, MERGE_KEEP, false},
};

enum { TABLES = sizeof tables / sizeof *tables, MAX_COLUMNS = 96 };

static int find_table(const char *name)
{
	for (int i = 0; name && i < TABLES; i++)
		if (strcmp(tables[i].name, name) == 0)
			return i;
	return -1;
}

bool merge_has_table(const char *name)
{
	return find_table(name) >= 0;
}

/* ---- a table's columns ---- */

struct merge {
	struct db *here;
	const char *path;                /* of the other file */
	const struct merge_table *table; /* the one at hand */
	int64_t numbered;                /* rows of that table that have a number already */
	int code;                        /* of SQLite, where a statement failed */
};

struct plan {
	const struct merge_table *table;
	int n, id, run; /* columns; which one numbers the rows, which refers to a run first; -1:
			   none */
	struct {
		struct buf name; /* quoted */
		int refers;      /* index of a table, -1: a value */
		bool in_key;
	} columns[MAX_COLUMNS];
};

static bool is_in_key(const struct merge_table *t, const char *column)
{
	size_t n = strlen(column);

	for (const char *at = t->key; (at = strstr(at, column)); at += n)
		if ((at == t->key || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* The names of columns come from a file that anybody may have written. */
static void quote(const char *name, struct buf *out)
{
	buf_add_char(out, '"');
	for (; *name; name++) {
		buf_add_str(out, *name == '"' ? "\"" : "");
		buf_add_char(out, *name);
	}
	buf_add_char(out, '"');
}

static enum asc_status plan_init(struct plan *p, struct merge *m, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*p = (struct plan){.table = m->table, .id = -1, .run = -1};
	statement_begin(&s, m->here, sql_merge_columns);
	statement_set_text(&s, ":table", m->table->name);
	while (statement_next(&s, &status, e)) {
		if (p->n == MAX_COLUMNS) {
			status = asc_err_set(e, ASC_LIMIT, "table %s: more than %d columns",
					     m->table->name, MAX_COLUMNS);
			continue;
		}
		const char *name = statement_take_text(&s);

		if (statement_take_int(&s) == 1 && strcmp(name, "id") == 0)
			p->id = p->n;
		p->columns[p->n].refers = find_table(statement_take_text(&s));
		p->columns[p->n].in_key = is_in_key(m->table, name);
		if (p->run < 0 && p->columns[p->n].refers == find_table("run"))
			p->run = p->n;
		quote(name, &p->columns[p->n].name);
		if (!statement_take_int(&s))
			status = asc_err_set(e, ASC_INPUT,
					     "%s: table %s has a column %s, which %s has not",
					     m->path, m->table->name, name, m->here->path);
		else
			status = buf_check(&p->columns[p->n].name, e);
		p->n++;
	}
	m->code = s.code;
	return status;
}

static void plan_fini(struct plan *p)
{
	for (int i = 0; i < p->n; i++)
		buf_fini(&p->columns[i].name);
}

/* ---- statements of a table ---- */

/* Replacements of @WORD: a text for each of some columns. `t` is a row there, `h` one here; r1, r2,
 * ... are rows of the maps of what column 1, 2, ... refers to. In a text, $ is the column's name, ?
 * the value of t as it is here, # the column's number, % the table that it refers to. */
static const struct word {
	const char *name;
	enum which { ALL, NO_ID, KEY, OWNERS, KEY_OWNERS, RUN } which;
	const char *before, *each, *between, *after;
	const char *none; /* in place of no column; NULL: nothing */
} words[] = {
	{"columns", ALL, "", "$", ", ", "", NULL},
	{"values", ALL, "", "?", ", ", "", NULL},
	/* LEFT keeps SQLite from beginning with a map. */
	{"joins", OWNERS, "", " LEFT JOIN temp.map_% r# ON r#.there = t.$", "", "", NULL},
	{"match", KEY, "", "h.$ = ?", " AND ", "", NULL},
	/* True for a row of something that just came: nothing of it can be here yet. */
	{"fresh", KEY_OWNERS, "(0", " OR r#.fresh", "", ")", NULL},
	/* True for a row of something that was not looked for. */
	{"skip", OWNERS, "((0", " OR (r#.here IS NULL AND t.$ IS NOT NULL)", "", ") IS TRUE)",
	 NULL},
	{"run", RUN, "", "t.$", "", "", "NULL"},
	{"set", NO_ID, "", "$ = ?", ", ", "", NULL},
	{"differs", NO_ID, "(0", " OR h.$ IS NOT ?", "", ")", NULL},
	{"fill", NO_ID, "", "$ = coalesce(h.$, ?)", ", ", "", NULL},
	{"lacks", NO_ID, "(0", " OR (h.$ IS NULL AND ? IS NOT NULL)", "", ")", NULL},
};

/* The newest run that refers to a row, what counts first to last, all the greater the newer: the
 * order is total, so that it does not matter which file is merged into which. */
#define NEWEST_RUN(file, id)                                                                       \
	"(SELECT -r.simulated, r.started_ms, r.uid FROM " file ".run r"                            \
	" JOIN " file ".problem p ON p.id = r.problem_id WHERE @newer = " id                       \
	" ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1)"

/* When a row that both files have changes, and to what; NULL: never. */
static const struct {
	const char *changed, *set;
} rules[] = {
	[MERGE_KEEP] = {NULL, NULL},
	[MERGE_FILL] = {"@lacks", "@fill"},
	[MERGE_PASSED] = {"h.status <> 'ok' AND t.status = 'ok'", "@set"},
	[MERGE_NEWER] = {"h.@newer < t.@newer", "@set"},
	/* Without a run here any run there is newer. */
	[MERGE_NEWEST_RUN] = {"@differs AND ifnull(" NEWEST_RUN("there", "t.id") " > " NEWEST_RUN(
				      "main", "h.id") ", EXISTS " NEWEST_RUN("there", "t.id") ")",
			      "@set"},
};

static bool is_chosen(const struct plan *p, enum which which, int i)
{
	switch (which) {
	case NO_ID: return i != p->id;
	case KEY: return p->columns[i].in_key;
	case OWNERS: return p->columns[i].refers >= 0;
	case KEY_OWNERS: return p->columns[i].in_key && p->columns[i].refers >= 0;
	case RUN: return i == p->run;
	default: return true;
	}
}

static void print_column(const struct plan *p, int i, const char *each, struct buf *out)
{
	const int refers = p->columns[i].refers;

	for (; *each; each++)
		if (*each == '$')
			buf_add_str(out, buf_str(&p->columns[i].name));
		else if (*each == '#')
			buf_print(out, "%d", i);
		else if (*each == '%')
			buf_add_str(out, tables[refers].name);
		else if (*each != '?')
			buf_add_char(out, *each);
		else if (refers >= 0)
			buf_print(out, "r%d.here", i);
		else if (i == p->id)
			buf_add_str(out, "m.here");
		else
			buf_print(out, "t.%s", buf_str(&p->columns[i].name));
}

/* The text of a word that is no list over columns. */
static const char *find_text(const struct plan *p, const char *word, size_t n)
{
	const struct {
		const char *name, *text;
	} texts[] = {
		{"table", p->table->name},
		{"newer", p->table->newer},
		{"changed", rules[p->table->rule].changed},
		{"change", rules[p->table->rule].set},
		{"rows", p->table->counted ? "temp.map_run o CROSS JOIN there.@table t"
					     " ON t.run_id = o.there AND NOT o.whole"
					   : "there.@table t"},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strlen(texts[i].name) == n && memcmp(texts[i].name, word, n) == 0)
			return texts[i].text;
	return NULL;
}

static void expand_word(const struct plan *p, const char *word, size_t n, struct buf *out)
{
	const struct word *w = words;
	int printed = 0;

	for (; strlen(w->name) != n || memcmp(w->name, word, n) != 0; w++)
		assert(w + 1 < words + sizeof words / sizeof *words);
	buf_add_str(out, w->before);
	for (int i = 0; i < p->n; i++)
		if (is_chosen(p, w->which, i)) {
			buf_add_str(out, printed++ ? w->between : "");
			print_column(p, i, w->each, out);
		}
	buf_add_str(out, !printed && w->none ? w->none : "");
	buf_add_str(out, w->after);
}

/* Appends the template with each @WORD replaced. */
static void expand(const struct plan *p, const char *template, struct buf *out)
{
	for (const char *at = template; *at; at++) {
		if (*at != '@') {
			buf_add_char(out, *at);
			continue;
		}
		const size_t n = strspn(++at, "abcdefghijklmnopqrstuvwxyz");
		const char *text = find_text(p, at, n);

		if (text)
			expand(p, text, out);
		else
			expand_word(p, at, n, out);
		at += n - 1;
	}
}

/* ---- one table ---- */

/* Runs a template that gives no rows. */
static enum asc_status run(struct merge *m, const struct plan *p, const char *template,
			   struct asc_err *e)
{
	struct buf sql = {0};
	struct statement s;

	expand(p, template, &sql);
	enum asc_status status = buf_check(&sql, e);

	if (status == ASC_OK) {
		statement_prepare(&s, m->here, buf_str(&sql));
		status = statement_run(&s, e);
		m->code = s.code;
		statement_drop(&s);
	}
	buf_fini(&sql);
	return status;
}

/* Refuses rows that refer to a row that is not there, by column `i`; of those of runs only what may
 * come, once their runs are known to be there. */
static enum asc_status check_owner(struct merge *m, const struct plan *p, int i, struct asc_err *e)
{
	const char *column = buf_str(&p->columns[i].name), *to = tables[p->columns[i].refers].name;
	struct buf sql = {0};
	struct statement s;
	int64_t id = 0;
	bool found = false;

	buf_print(&sql, "SELECT t.%s FROM ", column);
	if (i == p->run)
		buf_print(&sql, "there.%s t", m->table->name);
	else
		expand(p, "@rows", &sql);
	buf_print(&sql,
		  " LEFT JOIN temp.map_%s m ON m.there = t.%s"
		  " WHERE t.%s IS NOT NULL AND m.there IS NULL LIMIT 1",
		  to, column, column);
	enum asc_status status = buf_check(&sql, e);

	if (status == ASC_OK) {
		statement_prepare(&s, m->here, buf_str(&sql));
		status = statement_run_int(&s, &id, &found, e);
		m->code = s.code;
		statement_drop(&s);
	}
	buf_fini(&sql);
	if (found)
		return asc_err_set(e, ASC_INPUT,
				   "%s: damaged: table %s refers to %s %" PRId64
				   ", which is not there",
				   m->path, m->table->name, to, id);
	return status;
}

static const char make_map[] =
	"CREATE TEMP TABLE map_@table(there INTEGER PRIMARY KEY, here INTEGER, fresh INTEGER,"
	" touched INTEGER DEFAULT 0, whole INTEGER DEFAULT 0, run INTEGER)";

static const char fill_map[] = "INSERT INTO temp.map_@table(there, here, fresh, run)"
			       " SELECT there, here, NOT skip AND here IS NULL, run"
			       " FROM (SELECT t.id AS there, @skip AS skip, @run AS run,"
			       "   CASE WHEN @skip OR @fresh THEN NULL"
			       "    ELSE (SELECT h.id FROM main.@table h WHERE @match) END AS here"
			       "  FROM @rows@joins)";

/* Numbers rows by a count in memory, in the order of the map's key: a window function would sort
 * all of them first, and keep them twice. */
static const char number_fresh[] = "UPDATE temp.map_@table SET here = next_number()"
				   "  + (SELECT coalesce(max(id), 0) FROM main.@table) WHERE fresh";

/* SQL's next_number(): 1, 2, ... */
static void next_number(sqlite3_context *c, int n, sqlite3_value **values)
{
	struct merge *m = sqlite3_user_data(c);

	(void)n;
	(void)values;
	sqlite3_result_int64(c, ++m->numbered);
}

/* Runs that have as many rows here as there, those that passed twice; their rows, by the index
 * trial_run alone. Rows that were removed here count: they do not come back. */
static const char mark_whole[] =
	"UPDATE temp.map_run AS m SET whole = 1 WHERE NOT fresh"
	" AND coalesce((SELECT sum(trials * (1 + (status = 'ok'))) FROM main.run_tried"
	"   WHERE run_id = m.here),"
	"  (SELECT count(*) + coalesce(sum(status = 'ok'), 0)"
	"   FROM main.@table WHERE run_id = m.here))"
	" >= coalesce((SELECT sum(trials * (1 + (status = 'ok'))) FROM there.run_tried"
	"   WHERE run_id = m.there),"
	"  (SELECT count(*) + coalesce(sum(status = 'ok'), 0)"
	"   FROM there.@table WHERE run_id = m.there))";

/* Only metrics refer to trials: of a run that is here in full no other trial is asked for. */
static const char fill_whole[] =
	"INSERT INTO temp.map_@table(there, fresh, run) SELECT DISTINCT t.id, 0, o.there"
	" FROM there.metric x CROSS JOIN there.@table t ON t.id = x.trial_id"
	" CROSS JOIN temp.map_run o ON o.there = t.run_id WHERE o.whole";

/* The rows of a table with a map: what changes, in which runs, and what comes. */
static const char mark_changes[] =
	"UPDATE temp.map_@table AS m SET touched = 1"
	" WHERE NOT fresh AND here IS NOT NULL AND EXISTS"
	" (SELECT 1 FROM there.@table t@joins JOIN main.@table h ON h.id = m.here"
	"  WHERE t.id = m.there AND @changed)";
static const char change[] =
	"UPDATE main.@table AS h SET @change FROM temp.map_@table m"
	" JOIN there.@table t ON t.id = m.there@joins WHERE m.touched AND h.id = m.here";
static const char touch_runs[] =
	"UPDATE temp.map_run SET touched = 1 WHERE NOT fresh"
	" AND there IN (SELECT run FROM temp.map_@table WHERE fresh OR touched)";
static const char add[] =
	"INSERT INTO main.@table(@columns) SELECT @values FROM temp.map_@table m"
	" CROSS JOIN there.@table t ON t.id = m.there@joins WHERE m.fresh ORDER BY m.there";

/* The same of a table without one, whose key is its primary key. */
static const char change_unmapped[] =
	"UPDATE main.@table AS h SET @change FROM there.@table t@joins WHERE @match AND @changed";
static const char touch_runs_unmapped[] =
	"UPDATE temp.map_run SET touched = 1 WHERE NOT fresh AND there IN (SELECT @run"
	" FROM there.@table t@joins WHERE NOT @skip"
	"  AND NOT EXISTS (SELECT 1 FROM main.@table h WHERE @match))";
static const char add_unmapped[] =
	"INSERT INTO main.@table(@columns) SELECT @values FROM there.@table t@joins WHERE NOT @skip"
	" ON CONFLICT DO NOTHING";

/* Marks the subjects of runs to which something came, as the triggers would: those of the same
 * workload and problem by name. */
static const char mark_stale[] =
	"INSERT INTO main.stale SELECT DISTINCT r.device_id, q.id FROM temp.map_run m"
	" JOIN main.run r ON r.id = m.here JOIN main.problem p ON p.id = r.problem_id"
	" JOIN main.problem q ON q.workload_id = p.workload_id AND q.name = p.name"
	" WHERE (m.fresh OR m.touched) AND NOT r.imported ON CONFLICT DO NOTHING";

static enum asc_status copy_table(struct merge *m, const struct merge_table *t, struct asc_err *e)
{
	struct plan p;

	m->table = t;
	m->numbered = 0;
	enum asc_status status = plan_init(&p, m, e);
	const bool mapped = p.id >= 0;

	/* Every table has a map: a reference to a table without numbers finds an empty one. */
	if (status == ASC_OK)
		status = run(m, &p, make_map, e);
	if (status == ASC_OK && t->counted)
		status = run(m, &p, mark_whole, e) ? e->status : run(m, &p, fill_whole, e);
	/* Before anything is copied: a row whose owner is missing would go without a word. */
	for (int i = 0; i < p.n && status == ASC_OK; i++)
		if (p.columns[i].refers >= 0)
			status = check_owner(m, &p, i, e);
	if (status == ASC_OK && mapped)
		status = run(m, &p, fill_map, e) ? e->status : run(m, &p, number_fresh, e);
	/* Changes before what comes, so that no row that came is looked at. */
	if (status == ASC_OK && mapped && rules[t->rule].changed)
		status = run(m, &p, mark_changes, e) ? e->status : run(m, &p, change, e);
	if (status == ASC_OK && !mapped && rules[t->rule].changed)
		status = run(m, &p, change_unmapped, e);
	/* Runs are counted as completed by what came of them, before it is there. */
	if (status == ASC_OK && p.run >= 0)
		status = run(m, &p, mapped ? touch_runs : touch_runs_unmapped, e);
	if (status == ASC_OK)
		status = run(m, &p, mapped ? add : add_unmapped, e);
	plan_fini(&p);
	return status;
}

/* ---- two files ---- */

/* Copies all tables and counts what came, by the maps, which go again. */
static enum asc_status copy_tables(struct merge *m, struct db_merged *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	for (int i = 0; i < TABLES && status == ASC_OK; i++)
		status = copy_table(m, &tables[i], e);
	if (status == ASC_OK)
		status = db_exec(m->here, mark_stale, e);
	statement_prepare(&s, m->here,
			  "SELECT count(*) FILTER (WHERE fresh),"
			  " (SELECT count(*) FROM temp.map_trial WHERE fresh),"
			  " (SELECT count(*) FROM temp.map_acknowledgement WHERE fresh),"
			  " count(*) FILTER (WHERE NOT fresh AND touched),"
			  " count(*) FILTER (WHERE NOT fresh AND NOT touched) FROM temp.map_run");
	if (statement_next(&s, &status, e)) {
		out->runs = statement_take_int(&s);
		out->trials = statement_take_int(&s);
		out->acknowledgements = statement_take_int(&s);
		out->completed = statement_take_int(&s);
		out->known = statement_take_int(&s);
	}
	statement_drop(&s);
	for (int i = 0; i < TABLES && status == ASC_OK; i++) {
		char sql[64];

		(void)snprintf(sql, sizeof sql, "DROP TABLE temp.map_%s", tables[i].name);
		status = db_exec(m->here, sql, e);
	}
	return status;
}

/* Copies within the transaction of `m->here`. */
static enum asc_status copy_attached(struct merge *m, struct db *there, struct db_merged *out,
				     struct asc_err *e)
{
	sqlite3 *sql = m->here->sql;

	if (db_attach(m->here, there, e))
		return e->status;
	int code = sqlite3_create_function(sql, "next_number", 0, SQLITE_UTF8, m, next_number, NULL,
					   NULL);

	if (code)
		return db_fail(m->here, code, e);
	/* With triggers SQLite would first keep all rows that come in a table of their own. */
	sqlite3_db_config(sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	enum asc_status status = copy_tables(m, out, e);

	sqlite3_db_config(sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
	(void)sqlite3_create_function(sql, "next_number", 0, SQLITE_UTF8, NULL, NULL, NULL, NULL);
	return status;
}

/* Says which file a failure is of: SQLite names none. Rows that do not fit are of the other one.
 * That file is also the one that cannot be read to the end, or is found damaged, when it is read
 * alone. */
static void name_file(const struct merge *m, struct asc_err *e)
{
	const int primary = m->code & 0xff;
	struct db *there = NULL;
	struct buf sql = {0};
	struct statement s;
	struct asc_err why;
	const char *answer = NULL;
	bool row = false;

	if (db_open(m->path, DB_READ, &there, &why)) {
		*e = why;
		return;
	}
	buf_print(&sql, "SELECT * FROM %s", m->table->name);
	if (buf_check(&sql, &why) == ASC_OK) {
		statement_prepare(&s, there, buf_str(&sql));
		if (statement_run(&s, &why))
			*e = why;
		statement_drop(&s);
	}
	buf_fini(&sql);
	statement_prepare(&s, there, "PRAGMA integrity_check(1)");
	if (primary == SQLITE_CORRUPT && statement_step(&s, &row, &why) == ASC_OK && row)
		answer = statement_take_text(&s);
	if (primary == SQLITE_CONSTRAINT || (answer && strcmp(answer, "ok") != 0))
		(void)db_fail(there, m->code, e);
	statement_drop(&s);
	db_close(there);
}

enum asc_status db_merge(struct db *d, const char *path, struct db_merged *out, struct asc_err *e)
{
	struct merge m = {.here = d, .path = path};
	struct db *there = NULL;

	*out = (struct db_merged){0};
	/* The same file by two names would wait for itself. Where one is not there opening says
	 * why.
	 */
	if (file_is_same(d->path, path))
		return asc_err_set(e, ASC_USAGE, "%s and %s are the same file", path, d->path);
	if (db_open(path, DB_READ, &there, e))
		return e->status;
	/* Rows go into indexes at all places, so the cache has room for these; maps are small. What
	 * rows refer to is looked for once in all (check_owner()), and not by SQLite in each. */
	enum asc_status status = db_exec(d,
					 "PRAGMA cache_size=-49152; PRAGMA temp_store=MEMORY;"
					 " PRAGMA foreign_keys=OFF",
					 e);

	/* The other file is attached within the transaction, which would else begin with a lock on
	 * it, too: somebody may be recording into it. It is read as it is at one moment. */
	if (status == ASC_OK)
		status = transaction_begin(d, e);
	if (status == ASC_OK) {
		status = copy_attached(&m, there, out, e);
		status = transaction_end(d, status, e);
	}
	(void)sqlite3_exec(d->sql, "PRAGMA foreign_keys=ON", NULL, NULL, NULL);
	db_detach(d, there);
	db_close(there);
	/* Memory and the disk have no file to blame. */
	if (status != ASC_OK && m.code && status != ASC_NOMEM && status != ASC_FULL)
		name_file(&m, e);
	if (status == ASC_OK)
		return ASC_OK;
	*out = (struct db_merged){0};
	return e->status;
}
