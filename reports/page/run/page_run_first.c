/* The view of the first configurations of a run: times, intervals, ties; each with its record. */
#include <math.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

static const struct html_column columns[] = {{"configuration", NULL, false},
					     {"median [95 %]", NULL, true},
					     {"× the chosen one's [95 %]", NULL, true},
					     {"class", NULL, false},
					     {NULL, NULL, false}};

static void cell_ratio(struct html_table *t, const struct db_run_final *f)
{
	char ratio[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, f ? f->ratio : NAN);
	if (f && isfinite(f->ratio_low) && isfinite(f->ratio_high))
		buf_print(t->out, "%s [%s, %s]", number_print(f->ratio, 3, ratio),
			  number_print(f->ratio_low, 3, low), number_print(f->ratio_high, 3, high));
	else
		buf_add_str(t->out, number_print(f ? f->ratio : NAN, 3, ratio));
	html_cell_end(t);
}

static const char *class_of(const struct db_run_final *f, char text[STANDING_TEXT_SIZE])
{
	if (!f)
		return "not in the finals";
	if (f->winner)
		return "winner";
	return f->standing == STANDING_TIED ? "tied with the best"
	       : f->standing == STANDING_UNDECIDED
		       ? "undecided"
		       : standing_print(f->standing, isfinite(f->ratio_low), f->n_samples, text);
}

static void write_place(struct page_run *r, struct html_table *t, size_t k)
{
	const struct run_place *x = &r->top[k];
	char standing[STANDING_TEXT_SIZE];

	html_cell_begin(t);
	html_name(t->out, x->config_key, PAGE_RUN_CONFIG);
	buf_print(t->out, "<small><a href=\"#%s_%zu\">place %zu</a>, ", r->id, k + 1, k + 1);
	html_name(t->out, x->implementation, 60);
	buf_add_str(t->out,
		    x->trial && x->trial->is_default ? ", the default</small>" : "</small>");
	html_cell_end(t);
	page_cell_interval(t, x->ns, x->low_ns, x->high_ns);
	cell_ratio(t, x->final);
	html_cell_text(t, class_of(x->final, standing));
}

static void write_places(struct page_run *r)
{
	struct html_table t = {
		.out = r->p->out,
		.id = page_print(r->p, "%s_first", r->id),
		.caption = r->finals.n
				   ? "Finalists with their time in the finals, then others with "
				     "that of the search"
				   : "By the median of the search: no finals were held",
		.columns = columns};

	html_table_begin(&t);
	for (size_t k = 0; k < r->n_top; k++)
		if (html_table_row(&t))
			write_place(r, &t, k);
	html_table_end(&t);
}

enum asc_status page_run_first(struct page_run *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (r->n_top == 0) {
		page_run_lacks(r, "fastest configurations (nothing passed)");
		return ASC_OK;
	}
	page_run_heading(r, "Fastest configurations");
	write_places(r);
	buf_add_str(r->p->out, "<div class=\"recorded\">\n");
	for (size_t k = 0; k < r->n_top && status == ASC_OK; k++)
		status = page_run_detail(r, k, e);
	buf_add_str(r->p->out, "</div>\n");
	return status;
}
