/* The section of kernels: a card for each, then, folded, a table of their newest runs, and devices
 * that tuned the same beside each other. */

#include <inttypes.h>

#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/run/page_run.h"
#include "tuner/base/buf.h"

static const struct html_column columns[] = {
	{"kernel", NULL, false}, {"device", NULL, false},    {"newest run", NULL, true},
	{"tried", NULL, true},   {"passed", NULL, true},     {"search", NULL, false},
	{"ended", NULL, false},  {"older runs", NULL, true}, {NULL, NULL, false}};

static void write_row(struct html_table *t, const struct page_kernel *k)
{
	const struct db_run_view *r = &k->run;
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin(t);
	if (k->card)
		buf_print(t->out, "<a href=\"#%s\">", k->id);
	page_kernel_write_name(r->workload, r->problem, t->out);
	buf_add_str(t->out, k->card ? "</a>" : "");
	/* The cache policy of imported results is mostly unknown. */
	buf_add_str(t->out, r->imported ? "<small>imported results" : "<small>cache ");
	html_name(t->out, r->imported ? NULL : r->cache_policy, 20);
	buf_print(t->out, "%s</small>", r->imported ? "" : page_run_origin(r));
	html_cell_end(t);
	html_cell_name(t, page_run_device(r), 80);
	html_cell_begin_number(t, (double)r->started_ms);
	buf_print(t->out, "%s<small>run %" PRId64 "</small>",
		  number_print_moment(r->started_ms, text), r->range.run_id);
	html_cell_end(t);
	html_cell_count(t, r->trials);
	html_cell_count(t, r->ok_trials);
	html_cell_name(t, r->strategy, 40);
	html_cell_name(t, page_run_outcome(r), 40);
	html_cell_count(t, r->older);
}

static void write_table(struct page *p)
{
	struct html_table t = {.out = p->out,
			       .id = "runs-all",
			       .caption = "Newest run of each kernel",
			       .columns = columns,
			       .rest = page_print_command(p, "export csv")};

	buf_print(p->out, "<details><summary>Newest run of each kernel: %zu</summary>\n",
		  p->n_kernels);
	html_table_begin(&t);
	for (size_t i = 0; i < p->n_kernels; i++)
		if (html_table_row(&t))
			write_row(&t, &p->kernels[i]);
	html_table_end(&t);
	buf_add_str(p->out, "</details>\n");
}

static void write_left_out(const struct page *p)
{
	size_t cards = 0;

	for (size_t i = 0; i < p->n_kernels; i++)
		cards += p->kernels[i].card;
	if (cards < p->n_kernels)
		buf_print(p->out,
			  "<p class=\"note\">%zu of %zu kernels have a card, doubtful ones first; "
			  "the "
			  "others are rows of the tables.</p>\n",
			  cards, p->n_kernels);
}

enum asc_status page_write_runs(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (p->n_kernels == 0) {
		buf_add_str(p->out, "<p>No run has results.</p>\n");
		return ASC_OK;
	}
	for (size_t i = 0; i < p->n_kernels && status == ASC_OK; i++)
		if (p->kernels[i].card)
			status = page_run_write(p, &p->kernels[i], e);
	write_left_out(p);
	write_table(p);
	return status ? status : page_runs_devices(p, e);
}
