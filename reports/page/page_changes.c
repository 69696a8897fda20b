/* The section of changes: broken kernels and regressions first; then, folded, improvements,
 * undecided series and configurations whose status changed. */
#include <math.h>
#include <stdio.h>

#include "db/history.h"
#include "db/overview.h"
#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_number.h"
#include "reports/page/page_series.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

enum { WHY = 240, CONFIG = 120, NAME = 60 }; /* characters of texts */

static const char rest[] = "`asctune track` prints all";

/* ---- series that changed ---- */

static void cell_levels(struct html_table *t, const struct track_series *s)
{
	char before[NUMBER_TEXT_SIZE], after[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, s->changed ? s->after : NAN);
	if (s->changed)
		buf_print(t->out, "%s → %s", number_print_time(s->before, before),
			  number_print_time(s->after, after));
	else
		buf_print(t->out, "%s <small>newest</small>",
			  number_print_time(s->n ? s->values[s->n - 1] : NAN, after));
	html_cell_end(t);
}

static void cell_change(struct html_table *t, const struct track_series *s)
{
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, s->changed ? s->change_pct : NAN);
	buf_add_str(t->out, s->changed ? number_print_change(s, text) : "–");
	html_cell_end(t);
	html_cell_begin_number(t, s->changed ? s->p : NAN);
	if (s->changed)
		buf_print(t->out, "%.2g", s->p);
	else
		buf_add_str(t->out, "–");
	html_cell_end(t);
}

static void cell_since(struct html_table *t, const struct track_series *s,
		       const struct track_point *points)
{
	int64_t ms = s->newest_ms, run = s->newest_run;
	char day[NUMBER_TEXT_SIZE];

	if (s->changed) {
		ms = points[s->index].started_ms;
		run = points[s->index].run_id;
	}
	html_cell_begin_number(t, (double)ms);
	buf_print(t->out, "%s<small>run %lld</small>", number_print_day(ms, day), (long long)run);
	html_cell_end(t);
}

static void write_acknowledgement(struct buf *out, const struct track_series *s)
{
	char day[NUMBER_TEXT_SIZE];

	if (!s->acknowledged)
		return;
	buf_add_str(out, "<small>");
	if (s->acknowledged_by && *s->acknowledged_by) {
		buf_add_str(out, "by ");
		html_name(out, s->acknowledged_by, NAME);
	}
	buf_print(out, " until %s: ", number_print_day(s->acknowledged_until_ms, day));
	html_name(out, s->acknowledged, WHY);
	buf_add_str(out, "</small>");
}

static void write_why(struct buf *out, const struct track_series *s)
{
	buf_add_str(out, "<small>");
	if (s->changed && s->cause != TRACK_CAUSE_UNKNOWN)
		buf_print(out, "%s%s", track_cause_name(s->cause), s->why ? ": " : "");
	html_name(out, s->why, WHY);
	buf_add_str(out, "</small>");
	if (!s->remeasured)
		return;
	buf_add_str(out, "<small>");
	html_name(out, s->remeasured, WHY);
	buf_add_str(out, "</small>");
}

static void cell_state(struct html_table *t, const struct track_series *s)
{
	html_cell_begin(t);
	page_series_badge(s, t->out);
	write_acknowledgement(t->out, s);
	write_why(t->out, s);
	html_cell_end(t);
}

static void write_row(struct page *p, struct html_table *t, const struct page_series *s)
{
	if (!html_table_row(t))
		return;
	html_cell_begin(t);
	page_series_link(s, t->out);
	html_cell_end(t);
	cell_levels(t, s->series);
	cell_change(t, s->series);
	cell_since(t, s->series, track_history_points(p->history, s->number));
	cell_state(t, s->series);
	html_cell_begin(t);
	page_series_spark(s->series, t->out);
	html_cell_end(t);
}

static const struct html_column change_columns[] = {{"kernel", NULL, false},
						    {"before → after", NULL, true},
						    {"change [95 % interval]", NULL, true},
						    {"p", NULL, true},
						    {"since", NULL, true},
						    {"state", NULL, false},
						    {"newest 60", NULL, false},
						    {NULL, NULL, false}};

struct verdict_table {
	const char *id, *heading, *none;
	enum track_verdict verdict;
	bool folded;
};

static const struct verdict_table verdict_tables[] = {
	{"broken", "Broken: no configuration passed in the newest run", NULL, TRACK_BROKEN, false},
	{"regressions", "Regressions", "No regression found.", TRACK_REGRESSION, false},
	{"improvements", "Improvements", "No improvement found.", TRACK_IMPROVEMENT, true},
	{"undecided", "Undecided", "Nothing is undecided.", TRACK_UNDECIDED, true}};

static void write_table(struct page *p, const struct verdict_table *v)
{
	struct html_table t = {.out = p->out,
			       .id = v->id,
			       .caption = v->heading,
			       .columns = change_columns,
			       .rest = rest};

	html_table_begin(&t);
	for (const struct page_series *s = p->series; s->series; s++)
		if (s->series->verdict == v->verdict)
			write_row(p, &t, s);
	html_table_end(&t);
}

static void write_verdict(struct page *p, const struct verdict_table *v)
{
	size_t n = track_series_count(p->history->list, p->history->n).of[v->verdict];

	if (n == 0) {
		if (v->none)
			buf_print(p->out, "<p>%s</p>\n", v->none);
		return;
	}
	if (v->folded)
		buf_print(p->out, "<details id=\"%s-d\"><summary>%s: %zu</summary>\n", v->id,
			  v->heading, n);
	write_table(p, v);
	if (v->folded)
		buf_add_str(p->out, "</details>\n");
}

/* ---- what came, what went, what is silent ---- */

static void cell_place(struct html_table *t, const char *workload, const char *problem,
		       const char *device)
{
	html_cell_begin(t);
	html_name(t->out, workload, NAME);
	buf_add_char(t->out, '/');
	html_name(t->out, problem, NAME);
	buf_add_str(t->out, "<small>");
	html_name(t->out, device, NAME);
	buf_add_str(t->out, "</small>");
	html_cell_end(t);
}

static const struct html_column turn_columns[] = {{"kernel", NULL, false},
						  {"implementation", NULL, false},
						  {"configuration", NULL, false},
						  {"was", NULL, false},
						  {"is", NULL, false},
						  {"reason", NULL, false},
						  {NULL, NULL, false}};

static enum asc_status write_transition(void *user, const struct db_transition *transition,
					struct asc_err *e)
{
	struct html_table *t = user;

	(void)e;
	if (t->rows == 0)
		html_table_begin(t);
	if (!html_table_row(t))
		return ASC_OK;
	cell_place(t, transition->workload, transition->problem, transition->device_model);
	html_cell_name(t, transition->implementation, NAME);
	html_cell_name(t, transition->config_key ? transition->config_key : "all of it", CONFIG);
	html_cell_text(t, transition->was);
	html_cell_text(t, transition->is);
	html_cell_name(t, transition->reason, WHY);
	return ASC_OK;
}

static const struct html_column silent_columns[] = {
	{"kernel", NULL, false}, {"implementation", NULL, false}, {"newest run", NULL, true},
	{"trials", NULL, true},  {"ended as", NULL, false},       {"reason", NULL, false},
	{NULL, NULL, false}};

static enum asc_status write_silent(void *user, const struct db_silent *s, struct asc_err *e)
{
	struct html_table *t = user;
	char day[NUMBER_TEXT_SIZE];

	(void)e;
	if (s->broken)
		return ASC_OK; /* broken ones have a table of their own */
	if (t->rows == 0)
		html_table_begin(t);
	if (!html_table_row(t))
		return ASC_OK;
	cell_place(t, s->workload, s->problem, s->device_model);
	html_cell_name(t, s->implementation, NAME);
	html_cell_begin_number(t, (double)s->started_ms);
	buf_add_str(t->out, number_print_day(s->started_ms, day));
	html_cell_end(t);
	html_cell_count(t, s->trials);
	html_cell_text(t, s->status ? s->status : s->outcome ? s->outcome : "not ended, or killed");
	html_cell_name(t, s->reason, WHY);
	return ASC_OK;
}

static enum asc_status write_coming(struct page *p, struct asc_err *e)
{
	struct html_table transitions = {
		.out = p->out,
		.id = "turns",
		.caption = "Passed before and no longer, or the other way round: the newest run "
			   "against the one before",
		.columns = turn_columns,
		.rest = rest};
	struct html_table silent = {.out = p->out,
				    .id = "silent",
				    .caption = "Without data: nothing passed in the newest run",
				    .columns = silent_columns,
				    .rest = "the database has them"};
	enum asc_status status;

	buf_add_str(p->out, "<h3>Came and went</h3>\n");
	status = db_each_transition(p->db, write_transition, &transitions, e);
	if (transitions.rows > 0)
		html_table_end(&transitions);
	if (status == ASC_OK)
		status = db_each_silent(p->db, write_silent, &silent, e);
	if (silent.rows > 0)
		html_table_end(&silent);
	if (transitions.rows == 0 && silent.rows == 0)
		buf_add_str(p->out, "<p>Nothing, between the newest run of each problem and the "
				    "one before.</p>\n");
	return status;
}

enum asc_status page_write_changes(struct page *p, struct asc_err *e)
{
	if (!p->history)
		buf_add_str(p->out, "<p>No run that came to its end measured anything, so nothing "
				    "can have changed.</p>\n");
	for (size_t i = 0; p->history && i < sizeof verdict_tables / sizeof *verdict_tables; i++)
		write_verdict(p, &verdict_tables[i]);
	return write_coming(p, e);
}
