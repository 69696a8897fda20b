/* The section of changes: a card for each finding, broken kernels first. And two folded tables of
 * the section of histories: configurations that started or stopped working, and kernels without
 * data. */
#include "db/history.h"
#include "db/overview.h"
#include "reports/page/page.h"
#include "reports/page/page_findings.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/track/track_transitions.h"
#include "tuner/base/buf.h"

/* Characters of reasons and names; cards, beyond which nobody reads one by one. */
enum { WHY = 240, NAME = 60, CARDS = 60 };

static const struct {
	const char *id, *title;
} headings[TRACK_VERDICT_COUNT] = {[TRACK_BROKEN] = {"broken", "Broken"},
				   [TRACK_REGRESSION] = {"slower", "Slower"},
				   [TRACK_IMPROVEMENT] = {"faster", "Faster"},
				   [TRACK_DRIFTING] = {"drifting", "Drifting"},
				   [TRACK_UNDECIDED] = {"undecided", "Undecided"}};

bool page_has_no_changes(const struct page *p)
{
	return !p->tracks && p->n_findings == 0;
}

enum asc_status page_write_changes(struct page *p, struct asc_err *e)
{
	enum track_verdict last = TRACK_VERDICT_COUNT;
	enum asc_status status = ASC_OK;
	size_t cards = 0, i = 0;

	for (size_t n; i < p->n_findings && cards < CARDS && status == ASC_OK; i += n, cards++) {
		const enum track_verdict v = p->findings[i].place->series->verdict;

		n = page_findings_size(p, i);
		/* Findings come by verdict, the worst first: a heading for each. */
		if (v != last)
			buf_print(p->out, "<h3 id=\"%s\">%s</h3>\n", headings[v].id,
				  headings[v].title);
		last = v;
		status = page_finding_card(p, &p->findings[i], n, e);
	}
	if (i < p->n_findings)
		buf_print(p->out,
			  "<p class=\"note\">%zu more are rows of the table of "
			  "histories.</p>\n",
			  p->n_findings - i);
	if (p->n_findings == 0)
		buf_add_str(p->out, "<p>Nothing changed.</p>\n");
	return status;
}

/* ---- what started or stopped working, what has no data ---- */

static void cell_place(struct html_table *t, const char *workload, const char *problem,
		       const char *device)
{
	html_cell_begin(t);
	page_kernel_write_name(workload, problem, t->out);
	buf_add_str(t->out, "<small>");
	html_name(t->out, device, NAME);
	buf_add_str(t->out, "</small>");
	html_cell_end(t);
}

static void write_transition(struct html_table *t, const struct track_transitions *all,
			     size_t group)
{
	size_t n;
	const struct track_transition *x = track_transitions_get(all, group, &n);

	cell_place(t, x->workload, x->problem, x->device_model);
	html_cell_name(t, x->implementation, NAME);
	/* Configurations that changed alike are one row: their number, or the name of a single one.
	 */
	if (n > 1)
		html_cell_count(t, (long long)n);
	else
		html_cell_name(t, x->config_key ? x->config_key : "all of it", NAME);
	html_cell_text(t, x->was);
	html_cell_text(t, x->is);
	html_cell_name(t, x->reason, WHY);
}

static enum asc_status write_transitions(struct page *p, struct asc_err *e)
{
	static const struct html_column columns[] = {{"kernel", NULL, false},
						     {"implementation", NULL, false},
						     {"configurations", NULL, true},
						     {"was", NULL, false},
						     {"is", NULL, false},
						     {"reason", NULL, false},
						     {NULL, NULL, false}};
	struct html_table t = {
		.out = p->out,
		.id = "transitions",
		.caption = "Started or stopped working: the newest run of each kernel against "
			   "the one before",
		.columns = columns,
		.rest = page_print_command(p, "track")};
	struct track_transitions all = {0};
	enum asc_status status = track_transitions_read(&all, p->db, e);

	if (status == ASC_OK && all.n > 0) {
		buf_print(p->out, "<details><summary>Started or stopped working: %zu</summary>\n",
			  all.n);
		html_table_begin(&t);
		for (size_t k = 0; k < all.n; k++)
			if (html_table_row(&t))
				write_transition(&t, &all, k);
		html_table_end(&t);
		buf_add_str(p->out, "</details>\n");
	}
	track_transitions_fini(&all);
	return status;
}

static const struct html_column unmeasured_columns[] = {
	{"kernel", NULL, false}, {"implementation", NULL, false}, {"newest run", NULL, true},
	{"trials", NULL, true},  {"ended as", NULL, false},       {"reason", NULL, false},
	{NULL, NULL, false}};

static enum asc_status write_unmeasured(void *user, const struct db_unmeasured *s,
					struct asc_err *e)
{
	struct html_table *t = user;
	char day[NUMBER_TEXT_SIZE];

	(void)e;
	if (s->broken)
		return ASC_OK; /* broken ones have a card */
	if (t->rows == 0) {    /* the first one: without any there is no table */
		buf_add_str(t->out, "<details><summary>Without data</summary>\n");
		html_table_begin(t);
	}
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

enum asc_status page_transitions_write(struct page *p, struct asc_err *e)
{
	struct html_table unmeasured = {.out = p->out,
					.id = "unmeasured",
					.caption = "Without data: nothing passed in the newest run",
					.columns = unmeasured_columns,
					.rest = page_print_command(p, "export csv")};
	enum asc_status status = write_transitions(p, e);

	if (status == ASC_OK)
		status = db_each_unmeasured(p->db, write_unmeasured, &unmeasured, e);
	if (unmeasured.rows > 0) {
		html_table_end(&unmeasured);
		buf_add_str(p->out, "</details>\n");
	}
	return status;
}
