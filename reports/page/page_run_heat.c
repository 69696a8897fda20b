/* Heat maps: the best time for each pair of values of two parameters of a run. */
#include <math.h>

#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_figure.h"
#include "reports/page/page_run.h"
#include "tuner/base/buf.h"

enum { MAX_MAPS = 3, MAX_VALUES = 24 };

static const char *const *copy_values(struct page *p, const struct run_parameter *of)
{
	const char **list = page_alloc(p, (of->n_values + 1) * sizeof *list);

	for (size_t k = 0; list && k < of->n_values; k++)
		list[k] = page_print(p, "%s", of->values[k]);
	return list;
}

struct elimination { /* one map while it is written */
	const struct run_parameter *x, *y;
	double *cells; /* ns */
	size_t *tried;
};

static bool fill_heat(const struct page_run *r, const struct run_pair_effect *pair,
		      struct elimination *h)
{
	h->x = page_run_parameter(r, pair->first);
	h->y = page_run_parameter(r, pair->second);
	h->cells = page_alloc(r->p, h->x->n_values * h->y->n_values * sizeof *h->cells);
	h->tried = page_alloc(r->p, h->x->n_values * h->y->n_values * sizeof *h->tried);
	if (!h->cells || !h->tried)
		return false;
	run_effects_fill_cells(&r->table, r->winner, pair->first, pair->second, h->cells, h->tried);
	return true;
}

static const struct picture_heat *draw_heat(const struct page_run *r, const struct elimination *h)
{
	struct picture_heat *d = page_alloc(r->p, sizeof *d);
	const size_t n = h->x->n_values * h->y->n_values;
	double *seconds = page_alloc(r->p, n * sizeof *seconds);

	if (!d || !seconds)
		return NULL;
	for (size_t k = 0; k < n; k++)
		seconds[k] = h->cells[k] * 1e-9;
	*d = (struct picture_heat){page_print(r->p, "%s", h->x->name),
				   page_print(r->p, "%s", h->y->name),
				   copy_values(r->p, h->x),
				   h->x->n_values,
				   copy_values(r->p, h->y),
				   h->y->n_values,
				   seconds};
	return d->columns && d->rows ? d : NULL;
}

/* Distinguishes "none passed" from "not tried". */
static void write_cell(struct html_table *t, double ns, size_t tried)
{
	if (!isnan(ns)) {
		html_cell_time(t, ns);
		return;
	}
	html_cell_begin_number(t, NAN);
	if (tried)
		buf_print(t->out, "none of %zu passed", tried);
	else
		buf_add_str(t->out, "not tried");
	html_cell_end(t);
}

static bool write_cells(struct page_run *r, const struct elimination *h, const char *id)
{
	struct html_column *columns = page_alloc(r->p, (h->x->n_values + 2) * sizeof *columns);
	struct html_table t = {.out = r->p->out,
			       .id = id,
			       .caption = "Best time",
			       .columns = columns,
			       .data = true};

	if (!columns)
		return false;
	columns[0].title = page_print(r->p, "%.60s, then %.60s", h->y->name, h->x->name);
	for (size_t x = 0; x < h->x->n_values; x++)
		columns[x + 1] = (struct html_column){h->x->values[x], NULL, true};
	html_table_begin(&t);
	for (size_t y = 0; y < h->y->n_values; y++) {
		if (!html_table_row(&t))
			continue;
		html_cell_name(&t, h->y->values[y], 40);
		for (size_t x = 0; x < h->x->n_values; x++)
			write_cell(&t, h->cells[y * h->x->n_values + x],
				   h->tried[y * h->x->n_values + x]);
	}
	html_table_end(&t);
	return true;
}

static const char *describe_heat(struct page *p, const struct elimination *h)
{
	const size_t n = h->x->n_values * h->y->n_values;
	size_t failed = 0, untried = 0;

	for (size_t k = 0; k < n; k++) {
		failed += isnan(h->cells[k]) && h->tried[k];
		untried += isnan(h->cells[k]) && !h->tried[k];
	}
	const char *missing =
		untried ? page_print(p, " %zu of %zu pairs %s not tried or %s not valid.", untried,
				     n, untried == 1 ? "was" : "were", untried == 1 ? "is" : "are")
			: " All pairs were tried.";
	const char *in_vain =
		failed ? page_print(p, " %zu had only configurations that failed or were slow.",
				    failed)
		       : "";

	return page_print(p, "Best time for each pair of values of %.60s and %.60s.%s%s",
			  h->x->name, h->y->name, missing, in_vain);
}

static enum asc_status write_heat(struct page_run *r, const struct run_pair_effect *pair,
				  size_t number, struct asc_err *e)
{
	struct elimination h;
	const struct picture_heat *d = fill_heat(r, pair, &h) ? draw_heat(r, &h) : NULL;

	if (!d)
		return asc_err_nomem(e);
	const struct picture picture = {
		.kind = PICTURE_HEAT,
		.data.heat = d,
		.id = page_print(r->p, "%s_heat%zu", r->id, number),
		.title = page_print(r->p, "Best time by %.60s and %.60s", d->x_name, d->y_name),
		.description = describe_heat(r->p, &h)};

	page_figure_begin(r->p, &picture, picture.description);
	const bool complete = write_cells(r, &h, page_print(r->p, "%s_t", picture.id));
	page_figure_end(r->p);
	return complete ? ASC_OK : asc_err_nomem(e);
}

enum asc_status page_run_heat(struct page_run *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t n = 0, large = 0;

	for (size_t k = 0; k < r->effects.n_pairs && n < MAX_MAPS && status == ASC_OK; k++) {
		const struct run_pair_effect *pair = &r->effects.pairs[k];

		if (page_run_parameter(r, pair->first)->n_values <= MAX_VALUES &&
		    page_run_parameter(r, pair->second)->n_values <= MAX_VALUES)
			status = write_heat(r, pair, n++, e);
		else
			large++;
	}
	if (r->effects.n_pairs == 0)
		buf_add_str(r->p->out, "<p class=\"note\">Fewer than two parameters had more than "
				       "one value.</p>\n");
	if (large)
		buf_print(
			r->p->out,
			"<p class=\"note\">%zu pair%s with more than %d values %s left out.</p>\n",
			large, large == 1 ? "" : "s", (int)MAX_VALUES, large == 1 ? "is" : "are");
	return status;
}
