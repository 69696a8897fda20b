/* The view of the spaces of a run: their configurations, and those that each condition removed. */
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

static const struct html_column columns[] = {
	{"implementation", NULL, false}, {"condition", NULL, false}, {"removed", NULL, true},
	{"share removed", "%", true},    {"left", NULL, true},       {NULL, NULL, false}};

struct space_rows {
	struct page_run *run;
	struct html_table t;
	double left; /* NaN: not counted */
	size_t idle; /* conditions that removed nothing, which have no row */
};

static void cell_count(struct html_table *t, double n)
{
	html_cell_begin_number(t, n);
	if (isnan(n))
		buf_add_str(t->out, "not counted");
	else
		buf_print(t->out, n < 1e15 ? "%.0f" : "%.3g", n);
	html_cell_end(t);
}

static void cell_origin(struct html_table *t, const struct db_space_count *c)
{
	html_cell_begin(t);
	html_name(t->out, c->origin, 120);
	if (c->text) {
		buf_add_str(t->out, "<small>");
		html_name(t->out, c->text, 200);
		buf_add_str(t->out, "</small>");
	}
	html_cell_end(t);
}

static void write_total(struct space_rows *s, const char *implementation, const char *what,
			double left)
{
	html_cell_name(&s->t, implementation, 60);
	html_cell_text(&s->t, what);
	html_cell_text(&s->t, "");
	html_cell_text(&s->t, "");
	cell_count(&s->t, left);
}

static void write_condition(struct space_rows *s, const char *implementation,
			    const struct db_space_count *c)
{
	html_cell_name(&s->t, implementation, 60);
	cell_origin(&s->t, c);
	cell_count(&s->t, c->configurations);
	html_cell_number(&s->t, 100 * c->configurations / s->left, 1);
	s->left -= c->configurations;
	cell_count(&s->t, s->left);
}

static enum asc_status write_count(void *user, const char *implementation,
				   const struct db_space_count *c, struct asc_err *e)
{
	struct space_rows *s = user;
	const bool all = strcmp(c->kind, "all") == 0, valid = strcmp(c->kind, "valid") == 0;

	(void)e;
	/* Most conditions of a device remove nothing: rows of them would hide the others. */
	if (!all && !valid && c->configurations <= 0) {
		s->idle++;
		return ASC_OK;
	}
	if (s->t.rows == 0) {
		page_run_heading(s->run, "Constraints");
		html_table_begin(&s->t);
	}
	if (!html_table_row(&s->t))
		return ASC_OK;
	if (all || valid) {
		s->left = c->configurations; /* of the next implementation, or as it was counted */
		write_total(s, implementation, all ? "all combinations of values" : "can run",
			    s->left);
	} else {
		write_condition(s, implementation, c);
	}
	return ASC_OK;
}

enum asc_status page_run_space(struct page_run *r, struct asc_err *e)
{
	struct space_rows s = {
		.run = r,
		.t = {.out = r->p->out,
		      .id = page_print(r->p, "%s_space", r->id),
		      .caption = "Constraints, in order: how many configurations each removes",
		      .columns = columns}};
	const enum asc_status status =
		db_each_space_count(r->p->db, r->row->range.run_id, write_count, &s, e);

	if (s.t.rows == 0) {
		page_run_lacks(r, "constraints (their configurations were not counted)");
		return status;
	}
	html_table_end(&s.t);
	if (s.idle)
		buf_print(r->p->out,
			  "<p class=\"note\">%zu condition%s removed nothing and %s left "
			  "out.</p>\n",
			  s.idle, s.idle == 1 ? "" : "s", s.idle == 1 ? "is" : "are");
	return status;
}
