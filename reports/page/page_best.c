/* The table of best configurations, doubtful ones first, in the words of `asctune best`. */
#include "reports/page/page_best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_number.h"
#include "reports/page/page_run.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

struct list {
	struct page *p;
	struct page_best *rows;
	size_t n, room;
};

static const char *copy(struct page *p, const char *text)
{
	return text ? page_print(p, "%s", text) : "";
}

static enum asc_status add_best(void *user, const struct db_best *b, struct asc_err *e)
{
	struct list *l = user;

	if (!array_room(&l->rows, l->n, &l->room, sizeof *l->rows))
		return asc_err_nomem(e);
	l->rows[l->n++] = (struct page_best){
		.workload = copy(l->p, b->workload),
		.problem = copy(l->p, b->problem),
		.device = copy(l->p, b->device_model && *b->device_model ? b->device_model
									 : b->device_kind),
		.cache_policy = copy(l->p, b->cache_policy),
		.implementation = copy(l->p, b->implementation),
		.config_key = copy(l->p, b->config_key),
		.baseline = copy(l->p, b->baseline),
		.is_default = b->default_key && strcmp(b->default_key, b->config_key) == 0,
		.sure = {sure_parse(b->sure), (size_t)b->n_ties, b->noise_pct},
		.median_ns = b->median_ns,
		.low_ns = b->low_ns,
		.high_ns = b->high_ns,
		.default_ns = b->default_ns,
		.baseline_ns = b->baseline_ns,
		.run_id = b->final_run_id ? b->final_run_id : b->run_id,
	};
	return ASC_OK;
}

enum asc_status page_best_read(struct page *p, struct asc_err *e)
{
	struct list l = {.p = p};
	enum asc_status status = db_each_best(p->db, NULL, add_best, &l, e);
	struct page_best *rows = status == ASC_OK ? page_alloc(p, (l.n + 1) * sizeof *rows) : NULL;

	if (rows && l.n)
		memcpy(rows, l.rows, l.n * sizeof *rows);
	if (rows)
		p->n_best = l.n;
	p->best = rows;
	free(l.rows);
	return status == ASC_OK && !rows ? asc_err_nomem(e) : status;
}

const struct page_best *page_best_of_run(const struct page *p, int64_t run_id)
{
	for (size_t i = 0; i < p->n_best; i++)
		if (p->best[i].run_id == run_id)
			return &p->best[i];
	return NULL;
}

/* ---- the table ---- */

static const struct html_column columns[] = {{"kernel", NULL, false},
					     {"device", NULL, false},
					     {"best configuration", NULL, false},
					     {"time [95 %]", NULL, true},
					     {"vs default", NULL, true},
					     {"vs baseline", NULL, true},
					     {"how sure", NULL, false},
					     {NULL, NULL, false}};

static void write_kernel(struct html_table *t, const struct page_best *b)
{
	html_cell_begin(t);
	html_name(t->out, b->workload, 60);
	buf_add_str(t->out, " / ");
	html_name(t->out, b->problem, 60);
	if (*b->cache_policy) {
		buf_add_str(t->out, "<small>cache ");
		html_name(t->out, b->cache_policy, 20);
		buf_add_str(t->out, "</small>");
	}
	html_cell_end(t);
}

static void write_config(struct html_table *t, const struct page_best *b)
{
	html_cell_begin(t);
	html_name(t->out, b->config_key, PAGE_RUN_CONFIG);
	buf_add_str(t->out, "<small>");
	html_name(t->out, b->implementation, 60);
	buf_add_str(t->out, b->is_default ? ", the default</small>" : "</small>");
	html_cell_end(t);
}

/* Writes the speed relative to a configuration that takes `ns`, with `name` below it. */
static void write_ratio(struct html_table *t, const struct page_best *b, double ns,
			const char *name)
{
	const double ratio = ns > 0 ? ns / b->median_ns : NAN;
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, ratio);
	buf_add_str(t->out, number_print(ratio, 2, text));
	if (isfinite(ratio))
		buf_add_str(t->out, "×");
	if (isfinite(ratio) && *name) {
		buf_add_str(t->out, "<small>");
		html_name(t->out, name, 40);
		buf_add_str(t->out, "</small>");
	}
	html_cell_end(t);
}

static void write_row(struct html_table *t, const struct page_best *b)
{
	char text[SURE_TEXT_SIZE];

	write_kernel(t, b);
	html_cell_name(t, b->device, 80);
	write_config(t, b);
	page_cell_interval(t, b->median_ns, b->low_ns, b->high_ns);
	write_ratio(t, b, b->default_ns, "");
	write_ratio(t, b, b->baseline_ns, b->baseline);
	html_cell_text(t, sure_print(&b->sure, text));
}

static int doubt(const struct page_best *b)
{
	return b->sure.sure == SURE_UNUSABLE ? 2 : b->sure.sure == SURE_NOISY;
}

void page_best_write(struct page *p)
{
	struct html_table t = {.out = p->out,
			       .id = "best",
			       .caption = "Best configurations",
			       .columns = columns,
			       .rest = "`asctune best` prints all"};

	if (p->n_best == 0)
		return;
	html_table_begin(&t);
	for (int of = 2; of >= 0; of--)
		for (size_t i = 0; i < p->n_best; i++)
			if (doubt(&p->best[i]) == of && html_table_row(&t))
				write_row(&t, &p->best[i]);
	html_table_end(&t);
}
