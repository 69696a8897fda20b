#include "db/merge_plan.h"

#include <string.h>

#include "db/statement.h"

#define NEWEST_RUN(where)                                                                          \
	"SELECT r.simulated, r.started_ms, r.uid FROM run r JOIN problem p ON p.id = r.problem_id" \
	" WHERE " where " = ?1 ORDER BY r.simulated, r.started_ms DESC, r.uid DESC LIMIT 1"

/* A trial has no key of its own: a run does not try a configuration twice at one moment. */
const struct merge_table merge_tables[] = {
	{"device", "fingerprint", MERGE_NEWEST_RUN, NEWEST_RUN("r.device_id"), NULL},
	{"workload", "name", MERGE_NEWEST_RUN, NEWEST_RUN("p.workload_id"), NULL},
	{"problem", "workload_id name key", MERGE_NEWEST_RUN, NEWEST_RUN("r.problem_id"), NULL},
	{"implementation", "name key idx", MERGE_FILL, NULL, NULL},
	{"metric_name", "probe name unit", MERGE_KEEP, NULL, NULL},
	{"run", "uid", MERGE_FILL, NULL, NULL},
	{"run_implementation", "run_id implementation_id", MERGE_KEEP, NULL, NULL},
	{"run_space", "run_id implementation_id place", MERGE_KEEP, NULL, NULL},
	{"trial", "run_id implementation_id config_hash config_key recorded_ms", MERGE_PASSED,
	 "status",
	 "SELECT run_id, count(*) + sum(status = 'ok') FROM trial GROUP BY run_id ORDER BY run_id"},
	{"metric", "trial_id name_id", MERGE_KEEP, NULL, NULL},
	{"final", "run_id implementation_id config_key", MERGE_KEEP, NULL, NULL},
	{"peak", "device_id unit type", MERGE_NEWER, "rate", NULL},
	{"series", "device_id problem_id implementation config_key figure", MERGE_KEEP, NULL, NULL},
	{"verdict", "series_id run_id", MERGE_NEWER, "made_ms", NULL},
	{"acknowledgement", "series since_ms made_ms reason", MERGE_KEEP, NULL, NULL},
	{0},
};

/* ---- the schema's columns ---- */

static bool is_in_key(const struct merge_table *t, const char *column)
{
	size_t n = strlen(column);

	for (const char *at = t->key; (at = strstr(at, column)); at += n)
		if ((at == t->key || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static int find_table(const char *name)
{
	for (int i = 0; name && merge_tables[i].name; i++)
		if (strcmp(merge_tables[i].name, name) == 0)
			return i;
	return -1;
}

struct columns {
	struct buf names[MERGE_MAX_COLUMNS]; /* quoted */
	int newer;
};

static enum asc_status take_column(struct merge_plan *p, struct columns *c, struct statement *s,
				   struct asc_err *e)
{
	const char *name = statement_take_text(s);
	bool numbers = statement_take_int(s) == 1 && strcmp(name, "id") == 0;

	if (p->n == MERGE_MAX_COLUMNS)
		return asc_err_set(e, ASC_LIMIT, "table %s: more than %d columns", p->table->name,
				   MERGE_MAX_COLUMNS);
	if (numbers)
		p->id = p->n;
	if (p->table->newer && strcmp(name, p->table->newer) == 0)
		c->newer = p->n;
	p->refers[p->n] = find_table(statement_take_text(s));
	p->in_key[p->n] = is_in_key(p->table, name);
	buf_print(&c->names[p->n], "\"%s\"", name);
	p->n++;
	return ASC_OK;
}

static enum asc_status take_columns(struct merge_plan *p, struct columns *c, struct db *d,
				    struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d,
			"SELECT c.name, c.pk, f.\"table\" FROM pragma_table_info(?1) c"
			" LEFT JOIN pragma_foreign_key_list(?1) f ON f.\"from\" = c.name"
			" ORDER BY c.cid");
	statement_bind_text(&s, p->table->name);
	while (statement_next(&s, &status, e))
		status = take_column(p, c, &s, e);
	return status;
}

/* ---- statements ---- */

/* Columns to print, and the text for each: "$" is its name, "?" its parameter. */
enum which { ALL, ALL_BUT_NUMBER, KEY };

static void print_columns(const struct merge_plan *p, const struct columns *c, enum which which,
			  const char *each, const char *between, struct buf *out)
{
	bool first = true;

	for (int i = 0; i < p->n; i++) {
		if (which == KEY ? !p->in_key[i] : which == ALL_BUT_NUMBER && i == p->id)
			continue;
		buf_add_str(out, first ? "" : between);
		first = false;
		for (const char *at = each; *at; at++)
			if (*at == '$')
				buf_add_str(out, buf_str(&c->names[i]));
			else if (*at == '?')
				buf_print(out, "?%d", i + 1);
			else
				buf_add_char(out, *at);
	}
}

static void print_difference(const struct merge_plan *p, const struct columns *c, const char *value,
			     struct buf *out)
{
	buf_add_char(out, '(');
	print_columns(p, c, ALL_BUT_NUMBER, "$", ", ", out);
	buf_add_str(out, ") IS NOT (");
	print_columns(p, c, ALL_BUT_NUMBER, value, ", ", out);
	buf_add_char(out, ')');
}

static void print_change(struct merge_plan *p, const struct columns *c)
{
	const char *value = p->table->rule == MERGE_FILL ? "coalesce($, ?)" : "?";

	if (p->table->rule == MERGE_KEEP)
		return;
	buf_print(&p->change, "UPDATE %s SET ", p->table->name);
	print_columns(p, c, ALL_BUT_NUMBER,
		      p->table->rule == MERGE_FILL ? "$ = coalesce($, ?)" : "$ = ?", ", ",
		      &p->change);
	buf_add_str(&p->change, " WHERE ");
	print_columns(p, c, KEY, "$ = ?", " AND ", &p->change);
	buf_add_str(&p->change, " AND ");
	if (p->table->rule == MERGE_NEWER)
		buf_print(&p->change, "%s < ?%d", p->table->newer, c->newer + 1);
	else if (p->table->rule == MERGE_PASSED)
		buf_print(&p->change, "%s <> 'ok' AND ?%d = 'ok'", p->table->newer, c->newer + 1);
	else
		print_difference(p, c, value, &p->change);
}

static void print_statements(struct merge_plan *p, const struct columns *c)
{
	const char *name = p->table->name;

	buf_add_str(&p->read, "SELECT ");
	print_columns(p, c, ALL, "$", ", ", &p->read);
	buf_print(&p->read, " FROM %s ORDER BY 1", name);

	buf_print(&p->find, "SELECT %s, ", p->id < 0 ? "0" : "id");
	print_difference(p, c, "?", &p->find);
	buf_print(&p->find, " FROM %s WHERE ", name);
	print_columns(p, c, KEY, "$ = ?", " AND ", &p->find);

	buf_print(&p->add, "INSERT INTO %s(", name);
	print_columns(p, c, ALL, "$", ", ", &p->add);
	buf_add_str(&p->add, ") VALUES(");
	print_columns(p, c, ALL, "?", ", ", &p->add);
	buf_add_char(&p->add, ')');
	print_change(p, c);
}

enum asc_status merge_plan_init(struct merge_plan *p, struct db *d, const struct merge_table *t,
				struct asc_err *e)
{
	struct columns c = {0};

	*p = (struct merge_plan){.table = t, .id = -1};
	enum asc_status status = take_columns(p, &c, d, e);

	if (status == ASC_OK)
		print_statements(p, &c);
	if (status == ASC_OK && (buf_check(&p->read, e) || buf_check(&p->find, e) ||
				 buf_check(&p->add, e) || buf_check(&p->change, e)))
		status = e->status;
	for (int i = 0; i < p->n; i++) {
		if (status == ASC_OK)
			status = buf_check(&c.names[i], e);
		buf_fini(&c.names[i]);
	}
	return status;
}

void merge_plan_fini(struct merge_plan *p)
{
	buf_fini(&p->read);
	buf_fini(&p->find);
	buf_fini(&p->add);
	buf_fini(&p->change);
}
