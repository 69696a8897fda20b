/* The view of two runs: the newest and the one before, or of devices that tuned the same problem.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/run/page_view.h"
#include "reports/results/run_compare.h"
#include "tuner/base/buf.h"

enum { MAX_DIFFERENCES = 64, LEAST_PAIRS = 3 /* two points are always on a line */ };

/* ---- what both tried ---- */

static const struct picture_comparison *fill(struct page *p, const struct run_comparison *c,
					     const char *before, const char *after)
{
	struct picture_comparison *d = page_alloc(p, sizeof *d);
	struct picture_pair *pairs = page_alloc(p, (c->n + 1) * sizeof *pairs);

	if (!d || !pairs)
		return NULL;
	for (size_t k = 0; k < c->n; k++) {
		const struct run_common *x = &c->list[k];
		const char *name = x->after->config_key;

		pairs[k] = (struct picture_pair){
			x->before->median_ns * 1e-9, x->after->median_ns * 1e-9,
			c->n <= PICTURE_TITLES ? page_print(p, "%s", name) : NULL};
	}
	*d = (struct picture_comparison){pairs, c->n, before, after, c->ratio};
	return d;
}

/* Prints "1.051 [1.048, 1.055]". */
static const char *print_ratio(struct page *p, const struct run_comparison *c)
{
	char text[NUMBER_TEXT_SIZE], from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];

	return page_print(p, "%s [%s, %s]", number_print(c->ratio, 3, text),
			  number_print(c->interval.low, 3, from),
			  number_print(c->interval.high, 3, to));
}

static const char *describe(struct page *p, const struct run_comparison *c)
{
	const char *order = isnan(c->rank_correlation)
				    ? ""
				    : page_print(p, " Rank correlation %.2f.", c->rank_correlation);

	return page_print(
		p,
		"%zu configurations passed in both. Median ratio of their times, second to first: "
		"%s%s.%s",
		c->n, print_ratio(p, c),
		c->interval.known ? "" : " (range: too few for an interval)", order);
}

static void write_common(struct page *p, const char *id, const struct run_comparison *c)
{
	static const struct html_column columns[] = {{"configuration", NULL, false},
						     {"first", NULL, true},
						     {"second", NULL, true},
						     {"change", "%", true},
						     {NULL, NULL, false}};
	struct html_table t = {.out = p->out,
			       .id = page_print(p, "%s_t", id),
			       .caption = "Configurations that passed in both",
			       .columns = columns,
			       .rest = page_print_command(p, "export csv"),
			       .data = true};

	html_table_begin(&t);
	for (size_t k = 0; k < c->n && k < HTML_TABLE_SHOWN; k++) {
		const struct run_common *x = &c->list[k];

		if (!html_table_row(&t))
			continue;
		html_cell_name(&t, x->after->config_key, PAGE_RUN_CONFIG);
		html_cell_time(&t, x->before->median_ns);
		html_cell_time(&t, x->after->median_ns);
		html_cell_number(&t, 100 * (x->after->median_ns / x->before->median_ns - 1), 1);
	}
	html_table_end(&t);
	if (c->n > HTML_TABLE_SHOWN)
		buf_print(p->out, "<p class=\"note\">The first %d of %zu.</p>\n",
			  (int)HTML_TABLE_SHOWN, c->n);
}

void page_comparison_write(struct page *p, const char *id, const struct run_comparison *c,
			   const char *before, const char *after)
{
	if (c->n < LEAST_PAIRS) {
		buf_print(p->out,
			  "<p class=\"note\">%zu configuration%s passed in both: too few to draw."
			  "</p>\n",
			  c->n, c->n == 1 ? "" : "s");
		return;
	}
	const struct picture picture = {.kind = PICTURE_COMPARISON,
					.data.comparison = fill(p, c, before, after),
					.id = id,
					.title = "The same configurations in two runs",
					.description = describe(p, c)};

	if (!picture.data.comparison)
		return; /* out of memory, which the page's end tells */
	page_figure_begin(p, &picture, picture.description);
	write_common(p, id, c);
	page_figure_end(p);
}

/* ---- the run before ---- */

static void write_differences(struct page_run *r, const struct run_table *before,
			      const struct run_trial *a, const struct run_trial *b)
{
	static const struct html_column columns[] = {{"parameter", NULL, false},
						     {"old best", NULL, false},
						     {"new best", NULL, false},
						     {NULL, NULL, false}};
	struct run_difference list[MAX_DIFFERENCES];
	const size_t n = run_differences(before, a, &r->table, b, list, MAX_DIFFERENCES);
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_diff", r->id),
			       .caption = "Parameters that differ",
			       .columns = columns};

	if (n == 0)
		return;
	html_table_begin(&t);
	for (size_t k = 0; k < n; k++) {
		if (!html_table_row(&t))
			continue;
		html_cell_name(&t, list[k].name, 60);
		html_cell_name(&t, list[k].before ? list[k].before : "–", 60);
		html_cell_name(&t, list[k].after ? list[k].after : "–", 60);
	}
	html_table_end(&t);
}

struct bests { /* bests of two runs; the new one's may have been measured earlier */
	struct run_place before, after;
	const struct run_trial *old_now; /* trial of the old best in the new run; NULL: not tried */
};

static bool same_config(const struct bests *b)
{
	return strcmp(b->before.config_key, b->after.config_key) == 0 &&
	       strcmp(b->before.implementation, b->after.implementation) == 0;
}

static void write_old_now(const struct page_run *r, const struct bests *b)
{
	char text[NUMBER_TEXT_SIZE];

	if (!b->old_now)
		buf_add_str(r->p->out, " The old best was not tried again.");
	else if (run_trial_is_timed(b->old_now))
		buf_print(r->p->out, " The old best takes %s now.",
			  number_print_time(b->old_now->median_ns, text));
	else
		buf_print(r->p->out, " The old best is %s now.",
			  result_status_name(b->old_now->status));
}

static void write_bests(const struct page_run *r, const struct bests *b)
{
	char was[NUMBER_TEXT_SIZE], is[NUMBER_TEXT_SIZE];
	const bool same = same_config(b);

	buf_print(r->p->out, "<p>%s %s → %s.",
		  same                         ? "The same configuration is the best:"
		  : b->after.ns < b->before.ns ? "Another configuration won, and is faster:"
					       : "Another configuration won, and is not faster:",
		  number_print_time(b->before.ns, was), number_print_time(b->after.ns, is));
	if (!same)
		write_old_now(r, b);
	buf_add_str(r->p->out, "</p>\n");
}

static enum asc_status compare_bests(struct page_run *r, const struct run_table *before,
				     const struct run_finals *finals)
{
	struct bests b = {.after = r->top[0]};

	if (r->n_top == 0 || run_top(before, finals, &b.before, 1) == 0) {
		buf_add_str(r->p->out, "<p>In one of the two runs nothing passed.</p>\n");
		return ASC_OK;
	}
	b.old_now = run_table_find(&r->table, b.before.implementation, b.before.config_key);
	write_bests(r, &b);
	/* Parameters are known of trials of these two runs only. */
	if (b.before.trial && b.after.trial && !same_config(&b))
		write_differences(r, before, b.before.trial, b.after.trial);
	return ASC_OK;
}

static enum asc_status compare_before(struct page_run *r, const struct run_table *before,
				      struct asc_err *e)
{
	struct run_finals finals;
	struct run_comparison c;

	if (run_finals_read(r->p->db, r->row->before.run_id, &finals, e))
		return e->status;
	enum asc_status status = compare_bests(r, before, &finals);
	run_finals_fini(&finals);
	if (status == ASC_OK)
		status = run_compare(before, &r->table, &c, e);
	if (status != ASC_OK)
		return status;
	page_comparison_write(r->p, page_print(r->p, "%s_before", r->id), &c,
			      page_print(r->p, "run %lld", (long long)r->row->before.run_id),
			      page_print(r->p, "run %lld", (long long)r->row->range.run_id));
	run_comparison_fini(&c);
	return ASC_OK;
}

enum asc_status page_run_before(struct page_run *r, struct asc_err *e)
{
	struct run_table before;

	if (r->row->before.run_id == 0) {
		page_run_lacks(r, "the run before (there is none)");
		return ASC_OK;
	}
	page_run_heading(r, "Against the run before");
	if (run_table_read(r->p->db, &r->row->before, PAGE_RUN_TRIALS, &before, e))
		return page_run_forgive(r->p, e->status, e);
	const enum asc_status status = compare_before(r, &before, e);

	run_table_fini(&before);
	return status;
}
