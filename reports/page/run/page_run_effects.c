/* The view of importance: parameters that explain the times of a run, alone and in pairs. */
#include <math.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

enum { MAX_PAIRS = 6 };

static const double least_share = 0.001; /* smaller shares are left out */

static void cell_share(struct html_table *t, double share)
{
	html_cell_number(t, 100 * share, 1);
}

/* Writes the share of each parameter, and what is left: all add up to 100 %. */
static void write_singles(struct page_run *r)
{
	static const struct html_column columns[] = {{"parameter", NULL, false},
						     {"values tried", NULL, true},
						     {"share of variance", "%", true},
						     {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_shares", r->id),
			       .caption = "Each parameter, of what those above it leave",
			       .columns = columns,
			       .data = true};
	double left = 1;

	html_table_begin(&t);
	for (size_t k = 0; k < r->effects.n_singles; k++) {
		const struct run_effect *x = &r->effects.singles[k];

		if (!(x->share >= least_share))
			continue;
		left -= x->share;
		if (!html_table_row(&t))
			continue;
		html_cell_name(&t, page_run_parameter(r, x->parameter)->name, 60);
		html_cell_count(&t, (long long)page_run_parameter(r, x->parameter)->n_values);
		cell_share(&t, x->share);
	}
	if (html_table_row(&t)) {
		html_cell_text(&t, "left over: combinations, other parameters, noise");
		html_cell_text(&t, "");
		cell_share(&t, fmax(left, 0));
	}
	html_table_end(&t);
}

static void write_pairs(struct page_run *r)
{
	static const struct html_column columns[] = {{"pair of parameters", NULL, false},
						     {"share of both together", "%", true},
						     {"beyond what both add", "%", true},
						     {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_pairs", r->id),
			       .caption = "Pairs of parameters, the largest share first",
			       .columns = columns,
			       .data = true};

	if (r->effects.n_pairs == 0)
		return;
	html_table_begin(&t);
	for (size_t k = 0; k < r->effects.n_pairs && k < MAX_PAIRS; k++) {
		const struct run_pair_effect *x = &r->effects.pairs[k];

		if (!html_table_row(&t))
			continue;
		html_cell_begin(&t);
		html_name(t.out, page_run_parameter(r, x->first)->name, 60);
		buf_add_str(t.out, " and ");
		html_name(t.out, page_run_parameter(r, x->second)->name, 60);
		html_cell_end(&t);
		cell_share(&t, x->joint);
		cell_share(&t, x->extra);
	}
	html_table_end(&t);
}

enum asc_status page_run_importance(struct page_run *r, struct asc_err *e)
{
	const struct run_effects *f = &r->effects;

	(void)e;
	if (f->n_singles == 0 || isnan(f->singles[0].share)) {
		page_run_lacks(r, "importance (too few configurations or values to say which "
				  "parameter matters)");
		return ASC_OK;
	}
	page_run_heading(r, "Importance of parameters");
	buf_print(
		r->p->out,
		"<p class=\"note\">Share of the variance of log time that goes with each parameter "
		"(omega squared): first the one with most, then the one with most of what is left. "
		"Over the %zu configurations of ",
		f->n);
	html_name(r->p->out, r->table.implementations[r->winner].name, 60);
	buf_add_str(r->p->out, " that passed. Descriptive: of what the search tried, not what a "
			       "change would do. Shares below 0.1 % are left out.</p>\n");
	write_singles(r);
	write_pairs(r);
	return ASC_OK;
}
