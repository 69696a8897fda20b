/* The section of runs: a table of the newest run of every subject, the newest with its views, some
 * more folded, and devices that tuned the same beside each other. */

#include <inttypes.h>
#include <stdlib.h>

#include "db/run_view.h"
#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_number.h"
#include "reports/page/page_run.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

/* Number of full runs; each takes about ten pictures. */
enum { MAX_FULL = 6 };

struct run_list {
	struct page *p;
	struct db_run_view *rows;
	size_t n, room;
	int64_t older;
};

static const char *copy(struct page *p, const char *text)
{
	return text ? page_print(p, "%s", text) : NULL;
}

static enum asc_status add_run(void *user, const struct db_run_view *row, struct asc_err *e)
{
	struct run_list *l = user;

	if (!array_room(&l->rows, l->n, &l->room, sizeof *l->rows))
		return asc_err_nomem(e);
	struct db_run_view *to = &l->rows[l->n++];

	*to = *row;
	l->older += row->older;
#define X(member) to->member = copy(l->p, row->member);
	DB_RUN_VIEW_TEXTS(X)
#undef X
	return ASC_OK;
}

/* ---- the table ---- */

static const struct html_column columns[] = {
	{"what was tuned", NULL, false}, {"device", NULL, false},    {"newest run", NULL, true},
	{"tried", NULL, true},           {"passed", NULL, true},     {"strategy", NULL, false},
	{"ended", NULL, false},          {"older runs", NULL, true}, {NULL, NULL, false}};

static void write_row(struct html_table *t, const struct db_run_view *r)
{
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin(t);
	html_name(t->out, r->workload, 60);
	buf_add_str(t->out, " / ");
	html_name(t->out, r->problem, 60);
	buf_add_str(t->out, r->imported ? "<small>imported results" : "<small>cache ");
	html_name(t->out, r->imported ? NULL : r->cache_policy, 20);
	buf_print(t->out, "%s</small>", r->imported ? "" : page_run_origin(r));
	html_cell_end(t);
	html_cell_name(t, page_run_device(r), 80);
	html_cell_begin_number(t, (double)r->started_ms);
	buf_add_str(t->out, number_print_moment(r->started_ms, text));
	html_cell_end(t);
	html_cell_count(t, r->trials);
	html_cell_count(t, r->ok_trials);
	html_cell_name(t, r->strategy, 40);
	html_cell_name(t, r->outcome ? r->outcome : "not in order", 40);
	html_cell_count(t, r->older);
}

static void write_table(const struct run_list *l)
{
	struct html_table t = {.out = l->p->out,
			       .id = "runs-all",
			       .caption = "The newest run with results of everything that is tuned",
			       .columns = columns,
			       .rest = "`asctune best` prints the best of all"};

	html_table_begin(&t);
	for (size_t i = 0; i < l->n; i++)
		if (html_table_row(&t))
			write_row(&t, &l->rows[i]);
	html_table_end(&t);
}

static void write_left_out(const struct run_list *l)
{
	if (l->older)
		buf_print(l->p->out,
			  "<p class=\"note\">%" PRId64
			  " older run%s left out here: the history has %s.</p>\n",
			  l->older, l->older == 1 ? " is" : "s are",
			  l->older == 1 ? "its best time" : "their best times");
	if (l->n > MAX_FULL)
		buf_print(l->p->out,
			  "<p class=\"note\">The newest %d of %zu have views of their own; the "
			  "others are rows of the table.</p>\n",
			  (int)MAX_FULL, l->n);
}

static enum asc_status write_all(struct run_list *l, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	write_table(l);
	write_left_out(l);
	for (size_t i = 0; i < l->n && i < MAX_FULL && status == ASC_OK; i++)
		status = page_run_write(l->p, &l->rows[i], i > 0, e);
	return status ? status : page_runs_devices(l->p, l->rows, l->n, e);
}

enum asc_status page_write_runs(struct page *p, struct asc_err *e)
{
	struct run_list l = {.p = p};
	enum asc_status status = db_each_newest_run(p->db, add_run, &l, e);

	if (status == ASC_OK && l.n == 0)
		buf_add_str(p->out, "<p>No run has results.</p>\n");
	else if (status == ASC_OK)
		status = write_all(&l, e);
	free(l.rows);
	return status;
}
