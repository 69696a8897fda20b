/* The table of best configurations, doubtful ones first, in the words of `asctune best`. */
#include <math.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/plot/ratio_marks.h"
#include "tuner/base/buf.h"
#include "tuner/result/result.h"

static const struct html_column columns[] = {
	{"kernel", NULL, false},    {"time [95 %]", NULL, true},   {"× default", NULL, true},
	{"× baseline", NULL, true}, {"of attainable", NULL, true}, {"how sure", NULL, false},
	{NULL, NULL, false}};

/* The same, where a profile of one of them was made. */
static const struct html_column profiled_columns[] = {
	{"kernel", NULL, false},       {"time [95 %]", NULL, true},
	{"× default", NULL, true},     {"× baseline", NULL, true},
	{"of attainable", NULL, true}, {"how sure", NULL, false},
	{"limited by", NULL, false},   {NULL, NULL, false}};

static bool has_profiles(const struct page *p)
{
	for (size_t i = 0; i < p->n_best; i++)
		if (p->best[i].profile)
			return true;
	return false;
}

static void write_kernel(const struct page *p, struct html_table *t, const struct page_kernel *k)
{
	const struct page_best *b = k->best;

	html_cell_begin(t);
	if (k->card)
		buf_print(t->out, "<a href=\"#%s\">", k->id);
	page_kernel_write_name(b->workload, b->problem, t->out);
	buf_add_str(t->out, k->card ? "</a><small>" : "<small>");
	html_name(t->out, b->implementation, 60);
	if (*b->cache_policy && strcmp(b->cache_policy, "cold") != 0) { /* cold is the usual one */
		buf_add_str(t->out, ", ");
		html_name(t->out, b->cache_policy, 20);
		buf_add_str(t->out, " cache");
	}
	if (p->several_devices) {
		buf_add_str(t->out, ", ");
		html_name(t->out, b->device, 60);
	}
	if (*b->config_key) {
		buf_add_str(t->out, ": ");
		html_name(t->out, b->config_key, PAGE_RUN_CONFIG);
	}
	buf_add_str(t->out, "</small>");
	html_cell_end(t);
}

static void write_time(struct html_table *t, const struct page_best *b)
{
	struct buf words = {0};
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, b->median_ns);
	buf_add_str(t->out, number_print_time(b->median_ns, text));
	if (isfinite(b->low_ns) && isfinite(b->high_ns)) {
		buf_print(t->out, "<small>%s – ", number_print_time(b->low_ns, text));
		buf_print(t->out, "%s</small>", number_print_time(b->high_ns, text));
	}
	if (b->host_ns > 0) {
		result_print_host(b->host_ns, &words);
		buf_print(t->out, "<small title=\"%s\">host %s</small>", buf_str(&words),
			  number_print_time(b->host_ns, text));
	}
	t->out->failed |= words.failed;
	buf_fini(&words);
	html_cell_end(t);
}

static void add_bar(struct page *p, struct buf *out, const struct page_best *b,
		    const struct baseline_time *of)
{
	char best[NUMBER_TEXT_SIZE], other[NUMBER_TEXT_SIZE], text[NUMBER_TEXT_SIZE];

	ratio_bar_print(of->ratio,
			page_print(p, "%s in %s, %.60s in %s", "best",
				   number_print_time(b->median_ns, best), of->name,
				   number_print_time(of->ns, other)),
			out);
	buf_print(out, " %s×", number_print(of->ratio, 2, text));
}

/* Writes the ratio to what was measured in the same rounds: to the default or the only baseline,
 * or to several baselines, each with its name. Rows sort by the first. */
static void write_ratios(struct page *p, struct html_table *t, const struct page_best *b,
			 const struct baseline_time *list, size_t n)
{
	bool any = false;

	html_cell_begin_number(t, n > 0 && list[0].ns > 0 ? list[0].ratio : NAN);
	for (size_t i = 0; i < n; i++) {
		if (!(list[i].ns > 0))
			continue;
		buf_add_str(t->out, any ? "<small>" : "");
		add_bar(p, t->out, b, &list[i]);
		if (n > 1) {
			buf_add_char(t->out, ' ');
			html_name(t->out, list[i].name, 40);
		}
		buf_add_str(t->out, any ? "</small>" : "");
		any = true;
	}
	buf_add_str(t->out, any ? "" : "–");
	html_cell_end(t);
}

static void write_row(struct page *p, struct html_table *t, const struct page_kernel *k)
{
	const struct page_best *b = k->best;

	write_kernel(p, t, k);
	write_time(t, b);
	write_ratios(p, t, b, &(struct baseline_time){"default", b->default_ns, b->vs_default}, 1);
	write_ratios(p, t, b, b->baselines.list, b->baselines.n);
	html_cell_begin_number(t, b->part_pct > 0 ? b->part_pct : NAN);
	if (b->part_pct > 0)
		page_best_write_part(b, t->out);
	else
		buf_add_str(t->out, "–");
	html_cell_end(t);
	html_cell_begin(t);
	page_best_write_sure(b, t->out);
	page_kernel_write_state(k, t->out);
	html_cell_end(t);
	if (t->columns == profiled_columns) {
		html_cell_begin(t);
		page_best_write_limit(b, t->out);
		html_cell_end(t);
	}
}

/* Writes the table with its caption, doubtful ones first. */
enum asc_status page_write_best(struct page *p, struct asc_err *e)
{
	struct html_table t = {.out = p->out,
			       .id = "best-all",
			       .caption = "Best configurations",
			       .order = p->tracks ? ": what is broken or slower first, then "
						    "doubtful ones"
						  : ", doubtful ones first",
			       .columns = has_profiles(p) ? profiled_columns : columns,
			       .rest = page_print_command(p, "best")};

	(void)e;
	html_table_begin(&t);
	for (size_t i = 0; i < p->n_kernels; i++)
		if (p->kernels[i].best && html_table_row(&t))
			write_row(p, &t, &p->kernels[i]);
	html_table_end(&t);
	return ASC_OK;
}

bool page_has_no_best(const struct page *p)
{
	return p->n_best == 0;
}
