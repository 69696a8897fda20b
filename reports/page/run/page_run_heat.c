/* Heat maps as tables: the best time for each pair of values of two parameters of a run, in the
 * finals where it was in them, on one range of colours, with the chosen cell marked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/plot/axis.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

enum { MAX_MAPS = 3, MAX_COLUMNS = 16, MAX_ROWS = 24, VALUE = 12 };

struct heat_map {
	const struct run_parameter *x, *y;
	double *cells; /* ns; NaN: nothing passed */
	size_t *tried;
};

struct heat_maps {
	struct page_run *run;
	double *times; /* of each trial */
	struct heat_map list[MAX_MAPS];
	size_t n, large;         /* large: pairs with too many values */
	struct axis_range range; /* ns, of all maps */
	struct units_scale unit;
};

static bool fill(struct heat_maps *h, const struct run_pair_effect *pair)
{
	const struct page_run *r = h->run;
	struct heat_map *m = &h->list[h->n++];

	m->x = page_run_parameter(r, pair->first);
	m->y = page_run_parameter(r, pair->second);
	const size_t n = m->x->n_values * m->y->n_values;

	m->cells = page_alloc(r->p, n * sizeof *m->cells);
	m->tried = page_alloc(r->p, n * sizeof *m->tried);
	if (!m->cells || !m->tried)
		return false;
	run_effects_fill_cells(&r->table, h->times, r->winner, pair->first, pair->second, m->cells,
			       m->tried);
	for (size_t k = 0; k < n; k++)
		axis_range_add(&h->range, m->cells[k]);
	return true;
}

static bool fill_all(struct heat_maps *h)
{
	const struct run_effects *f = &h->run->effects;
	bool complete = true;

	for (size_t k = 0; k < f->n_pairs && h->n < MAX_MAPS && complete; k++) {
		const struct run_pair_effect *pair = &f->pairs[k];

		if (page_run_parameter(h->run, pair->first)->n_values <= MAX_COLUMNS &&
		    page_run_parameter(h->run, pair->second)->n_values <= MAX_ROWS)
			complete = fill(h, pair);
		else
			h->large++;
	}
	/* One unit and one range of colours for all maps, so that they can be compared. */
	h->unit = number_scale_time(h->range.low);
	return complete;
}

/* True for a value that the answer has. */
static bool is_chosen(const struct page_run *r, const struct run_parameter *of, size_t value)
{
	struct setting s;

	return r->kernel->best &&
	       setting_find(r->kernel->best->config_key, of->name, strlen(of->name), &s) &&
	       page_setting_is(&s, of->values[value]);
}

/* Step of the ramp of colours, by the logarithm of the time. */
static int step_of(const struct heat_maps *h, double ns)
{
	const double whole = log(h->range.high / h->range.low); /* 0: all times are equal */

	return whole > 0 ? (int)lround((PAGE_HEAT_STEPS - 1) * log(ns / h->range.low) / whole) : 0;
}

static void write_cell(const struct heat_maps *h, const struct heat_map *m, size_t x, size_t y)
{
	struct buf *out = h->run->p->out;
	const double ns = m->cells[y * m->x->n_values + x];
	const size_t tried = m->tried[y * m->x->n_values + x];
	const bool chosen = is_chosen(h->run, m->x, x) && is_chosen(h->run, m->y, y);
	char text[NUMBER_TEXT_SIZE];

	if (isnan(ns)) {
		buf_print(out, "<td class=\"none\" title=\"%s\">%s</td>",
			  tried ? page_print(h->run->p, "none of %zu passed", tried) : "not tried",
			  tried ? "✕" : "");
		return;
	}
	const double number = ns / h->unit.factor;

	buf_print(out, "<td class=\"h%d%s\" title=\"best of %zu tried%s\">%s</td>", step_of(h, ns),
		  chosen ? " on" : "", tried, chosen ? ", chosen" : "",
		  number_print(number, number < 10 ? 2 : number < 100, text));
}

static void write_map(const struct heat_maps *h, const struct heat_map *m)
{
	struct buf *out = h->run->p->out;

	buf_add_str(out,
		    "<div class=\"table data\" role=\"group\" tabindex=\"0\" aria-label=\"best "
		    "times\"><table class=\"heat\"><caption>");
	html_name(out, m->y->name, 40);
	buf_add_str(out, " down, ");
	html_name(out, m->x->name, 40);
	buf_print(out, " across: best time, %s</caption>\n<thead><tr><td></td>", h->unit.unit);
	for (size_t x = 0; x < m->x->n_values; x++) {
		buf_add_str(out, "<th scope=\"col\">");
		html_name(out, m->x->values[x], VALUE);
		buf_add_str(out, "</th>");
	}
	buf_add_str(out, "</tr></thead>\n<tbody>\n");
	for (size_t y = 0; y < m->y->n_values; y++) {
		buf_add_str(out, "<tr><th scope=\"row\">");
		html_name(out, m->y->values[y], VALUE);
		buf_add_str(out, "</th>");
		for (size_t x = 0; x < m->x->n_values; x++)
			write_cell(h, m, x, y);
		buf_add_str(out, "</tr>\n");
	}
	buf_add_str(out, "</tbody></table></div>\n");
}

enum asc_status page_run_heat(struct page_run *r, struct asc_err *e)
{
	struct heat_maps h = {.run = r,
			      .times = run_finals_take_times(page_run_decided(r), &r->table),
			      .range = axis_range_none};
	const bool complete = h.times && fill_all(&h);

	free(h.times);
	if (!complete)
		return asc_err_nomem(e);
	if (r->effects.n_pairs == 0) {
		page_run_lacks(r, "pairs (fewer than two parameters had more than one value)");
		return ASC_OK;
	}
	page_run_heading(r, "Pairs of parameters");
	buf_add_str(r->p->out, "<p class=\"note\">Best time for each pair of values, in the finals "
			       "where it was in them; dark is fast; the "
			       "chosen cell has a frame; ✕: nothing passed; empty: not tried.</p>\n"
			       "<div class=\"maps\">\n");
	for (size_t i = 0; i < h.n; i++)
		write_map(&h, &h.list[i]);
	buf_add_str(r->p->out, "</div>\n");
	if (h.large)
		buf_print(r->p->out,
			  "<p class=\"note\">%zu pair%s with more values %s left out.</p>\n",
			  h.large, h.large == 1 ? "" : "s", h.large == 1 ? "is" : "are");
	return ASC_OK;
}
