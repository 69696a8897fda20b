/* The card's right half: for each parameter the best time seen with each of its values, the
 * parameters first of which the run can say that a wrong value costs much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/plot/value_bars.h"
#include "reports/page/run/page_view.h"
#include "reports/results/run_slices.h"
#include "tuner/base/buf.h"

enum { SHOWN = 9, NAME = 24 };

static const struct run_effect *find_effect(const struct page_run *r, size_t parameter)
{
	for (size_t i = 0; i < r->effects.n_singles; i++)
		if (r->effects.singles[i].parameter == parameter)
			return &r->effects.singles[i];
	return NULL;
}

/* Index of the answer's value; the number of values where it has none of these. */
static size_t find_chosen(const struct page_run *r, const struct run_parameter *p)
{
	struct setting s;

	if (!setting_find(r->kernel->best->config_key, p->name, strlen(p->name), &s))
		return p->n_values;
	for (size_t i = 0; i < p->n_values; i++)
		if (page_setting_is(&s, p->values[i]))
			return i;
	return p->n_values;
}

static const char *describe_value(struct page *p, const struct run_parameter *of, size_t value,
				  const struct run_slice *s)
{
	char time[NUMBER_TEXT_SIZE], ratio[NUMBER_TEXT_SIZE];

	if (isnan(s->best_ns[value]))
		return page_print(p, "%.60s=%.60s: none of %zu measured to the end", of->name,
				  of->values[value], s->tried[value]);
	return page_print(p, "%.60s=%.60s: %s at best, %s×, of %zu tried", of->name,
			  of->values[value], number_print_time(s->best_ns[value], time),
			  number_print(s->best_ns[value] / s->fastest_ns, 2, ratio),
			  s->tried[value]);
}

/* Writes the other parameters that the configuration with the next best value changes, too. */
static void write_together(const struct page_run *r, const struct run_slices *all,
			   const struct run_slice *s)
{
	const char *before = "changed with ";

	for (size_t i = 0; i < all->n; i++)
		if (&all->list[i] != s && all->list[i].next == s->next) {
			buf_add_str(r->p->out, before);
			html_name(r->p->out, page_run_parameter(r, all->list[i].parameter)->name,
				  NAME);
			before = ", ";
		}
}

static void write_verdict(const struct page_run *r, const struct run_slices *all,
			  const struct run_slice *s)
{
	char text[NUMBER_TEXT_SIZE];
	struct buf *out = r->p->out;

	switch (s->verdict) {
	case SLICE_TELLS:
		buf_add_str(out, isfinite(s->cost_pct) ? number_print_percent(s->cost_pct, text)
						       : "others slow or failed");
		break;
	case SLICE_TOGETHER: write_together(r, all, s); break;
	case SLICE_UNDECIDED:
	case SLICE_TOO_FEW: buf_add_str(out, "too few to tell"); break;
	}
}

static void write_heading(const struct page_run *r, const struct run_slices *all,
			  const struct run_slice *s)
{
	const struct run_effect *effect = find_effect(r, s->parameter);
	struct buf *out = r->p->out;

	buf_add_str(out, "<div class=\"slice\"");
	if (effect && !isnan(effect->share))
		buf_print(out, " title=\"%.0f %% of the variance of log time go with it\"",
			  100 * effect->share);
	buf_add_str(out, "><p><strong>");
	html_name(out, page_run_parameter(r, s->parameter)->name, NAME);
	buf_add_str(out, "</strong> <span class=\"mut\">");
	write_verdict(r, all, s);
	buf_add_str(out, "</span></p>");
}

static bool write_slice(struct page_run *r, const struct run_slices *all, const struct run_slice *s)
{
	const struct run_parameter *of = page_run_parameter(r, s->parameter);
	struct value_bar *bars = page_alloc(r->p, (of->n_values + 1) * sizeof *bars);

	if (!bars)
		return false;
	for (size_t i = 0; i < of->n_values; i++)
		bars[i] = (struct value_bar){of->values[i], s->best_ns[i] / s->fastest_ns,
					     s->timed[i], describe_value(r->p, of, i, s)};
	write_heading(r, all, s);
	value_bars_print(
		&(struct value_bars){.list = bars,
				     .n = of->n_values,
				     .chosen = find_chosen(r, of),
				     .label = page_print(r->p, "Best time by %.60s", of->name)},
		r->p->out);
	buf_add_str(r->p->out, "</div>\n");
	return true;
}

enum asc_status page_run_slices(struct page_run *r, struct asc_err *e)
{
	struct run_slices slices;
	struct buf *out = r->p->out;
	bool complete = true;

	/* A run that resumed all of its results has none of its own to slice. */
	if (r->table.n == 0 ||
	    run_slices_find(&r->table, page_run_decided(r), r->winner, &slices, e))
		return r->table.n ? e->status : ASC_OK;
	if (slices.n > 0)
		buf_add_str(
			out,
			"<div><p><strong>What matters:</strong> best time seen with each value; "
			"the percentage is the cost of the next best value. Below each bar the "
			"number of configurations behind it.</p>\n<div class=\"slices\">\n");
	for (size_t i = 0; i < slices.n && i < SHOWN && complete; i++)
		complete = write_slice(r, &slices, &slices.list[i]);
	if (slices.n > 0)
		buf_add_str(out, "</div>");
	if (slices.n > SHOWN)
		buf_print(out,
			  "<p class=\"note\">%zu more parameter%s cost%s less, or the run cannot "
			  "tell.</p>",
			  slices.n - SHOWN, slices.n - SHOWN == 1 ? "" : "s",
			  slices.n - SHOWN == 1 ? "s" : "");
	if (slices.n > 0)
		buf_add_str(out, "</div>\n");
	run_slices_fini(&slices);
	return complete ? ASC_OK : asc_err_nomem(e);
}
