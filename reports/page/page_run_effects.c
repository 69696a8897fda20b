/* The view of importance: parameters that explain the times of a run, alone and in pairs. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_figure.h"
#include "reports/page/page_run.h"
#include "tuner/base/buf.h"

enum { MAX_BARS = 20, MAX_PAIRS = 12 };

static const struct picture_importance *fill_bars(const struct page_run *r)
{
	struct picture_importance *d = page_alloc(r->p, sizeof *d);
	struct picture_bar *bars = page_alloc(r->p, MAX_BARS * sizeof *bars);

	if (!d || !bars)
		return NULL;
	d->bars = bars;
	for (size_t k = 0; k < r->effects.n_singles && k < MAX_BARS; k++) {
		const struct run_effect *x = &r->effects.singles[k];

		if (!isnan(x->share))
			bars[d->n++] = (struct picture_bar){
				page_print(r->p, "%s", page_run_parameter(r, x->parameter)->name),
				x->share};
	}
	return d;
}

static void cell_share(struct html_table *t, double share)
{
	html_cell_number(t, 100 * share, 1);
}

static void write_singles(struct page_run *r)
{
	static const struct html_column columns[] = {{"parameter", NULL, false},
						     {"values tried", NULL, true},
						     {"share of variance", "%", true},
						     {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_shares", r->id),
			       .caption = "Each parameter alone",
			       .columns = columns,
			       .data = true};

	html_table_begin(&t);
	for (size_t k = 0; k < r->effects.n_singles; k++) {
		const struct run_effect *x = &r->effects.singles[k];

		if (!html_table_row(&t))
			continue;
		html_cell_name(&t, page_run_parameter(r, x->parameter)->name, 60);
		html_cell_count(&t, (long long)page_run_parameter(r, x->parameter)->n_values);
		cell_share(&t, x->share);
	}
	html_table_end(&t);
}

static void write_pairs(struct page_run *r)
{
	static const struct html_column columns[] = {{"pair of parameters", NULL, false},
						     {"share of both together", "%", true},
						     {"beyond both alone", "%", true},
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

static void write_too_few(const struct page_run *r)
{
	buf_print(r->p->out,
		  "<p class=\"note\">%zu configuration%s of the best implementation passed, with "
		  "%zu parameter%s that had more than one value: too little to say which "
		  "parameter matters.</p>\n",
		  r->effects.n, r->effects.n == 1 ? "" : "s", r->effects.n_singles,
		  r->effects.n_singles == 1 ? "" : "s");
}

enum asc_status page_run_importance(struct page_run *r, struct asc_err *e)
{
	const struct picture_importance *d = fill_bars(r);

	if (!d)
		return asc_err_nomem(e);
	if (d->n == 0) {
		write_too_few(r);
		return ASC_OK;
	}
	const struct picture picture = {
		.kind = PICTURE_IMPORTANCE,
		.data.importance = d,
		.id = page_print(r->p, "%s_importance", r->id),
		.title = "Importance of parameters",
		.description = page_print(
			r->p,
			"Share of the variance of log time that goes with each parameter alone "
			"(omega "
			"squared), over the %zu configurations of %.60s that passed. Descriptive: "
			"of "
			"what the search tried, not what a change would do. Most goes with %.60s: "
			"%.0f %%.",
			r->effects.n, r->table.implementations[r->winner].name, d->bars[0].name,
			100 * d->bars[0].share)};

	page_figure_begin(r->p, &picture, picture.description);
	write_singles(r);
	write_pairs(r);
	page_figure_end(r->p);
	return ASC_OK;
}
