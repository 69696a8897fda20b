#include "reports/page/run/page_view.h"

#include <math.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"

/* ---- one run ---- */

/* Puts the best of the database first where it comes from this run, with its time. */
static void put_answer_first(struct page_run *r)
{
	const struct page_best *b = page_best_of_run(r->p, r->row->range.run_id);
	size_t at = 0;

	if (!b || r->n_top == 0)
		return;
	while (at < r->n_top && (strcmp(r->top[at].config_key, b->config_key) != 0 ||
				 strcmp(r->top[at].implementation, b->implementation) != 0))
		at++;
	if (at == r->n_top) /* not among those: it takes the place of the last */
		at--;
	struct run_place first = r->top[at];

	first.implementation = b->implementation;
	first.config_key = b->config_key;
	first.trial = run_table_find(&r->table, b->implementation, b->config_key);
	first.ns = b->median_ns;
	first.low_ns = b->low_ns;
	first.high_ns = b->high_ns;
	memmove(&r->top[1], &r->top[0], at * sizeof *r->top);
	r->top[0] = first;
}

/* Reads all that the views of a run share: its trials, its finals and those that gave the answer,
 * the order of its configurations, and what its parameters explain. Effects come last: they are
 * those of the implementation that is first then. */
enum asc_status page_run_read(struct page_run *r, struct asc_err *e)
{
	const struct page_best *b = r->kernel->best;

	if (run_table_read(r->p->db, &r->row->range, PAGE_RUN_TRIALS, &r->table, e) ||
	    run_finals_read(r->p->db, r->row->range.run_id, &r->finals, e))
		return e->status;
	/* The answer may come from finals of an earlier run, which were sure. */
	if (b && b->final_run_id != 0 && b->final_run_id != r->row->range.run_id &&
	    run_finals_read(r->p->db, b->final_run_id, &r->decided, e))
		return e->status;
	r->n_top = run_top(&r->table, &r->finals, r->top, PAGE_RUN_TOP);
	put_answer_first(r);
	for (size_t i = 0; r->n_top && i < r->table.n_implementations; i++)
		if (strcmp(r->table.implementations[i].name, r->top[0].implementation) == 0)
			r->winner = i;
	return r->table.n ? run_effects_find(&r->table, r->winner, &r->effects, e) : ASC_OK;
}

/* ---- what views share ---- */

void page_run_heading(struct page_run *r, const char *title)
{
	buf_print(r->p->out, "<h4>%s</h4>\n", title);
}

void page_run_lacks(struct page_run *r, const char *what)
{
	buf_print(&r->missing, "%s%s", r->missing.len ? "; " : "", what);
}

enum asc_status page_run_forgive(struct page *p, enum asc_status status, struct asc_err *e)
{
	/* One damaged run must not cost the page of all others. */
	if (status != ASC_INPUT)
		return status;
	buf_add_str(p->out, "<p class=\"note\">Damaged: ");
	html_text(p->out, e->text);
	buf_add_str(p->out, ".</p>\n");
	return ASC_OK;
}

const struct run_finals *page_run_decided(const struct page_run *r)
{
	return r->decided.n ? &r->decided : &r->finals;
}

const struct run_parameter *page_run_parameter(const struct page_run *r, size_t number)
{
	return &r->table.implementations[r->winner].parameters[number];
}

void page_cell_interval(struct html_table *t, double ns, double low_ns, double high_ns)
{
	const struct units_scale u = number_scale_time(ns);
	char text[NUMBER_TEXT_SIZE];

	if (!isfinite(low_ns) || !isfinite(high_ns)) {
		html_cell_time(t, ns);
		return;
	}
	html_cell_begin_number(t, ns);
	buf_print(t->out, "%s", number_print(ns / u.factor, 2, text));
	buf_print(t->out, " [%s, ", number_print(low_ns / u.factor, 2, text));
	buf_print(t->out, "%s] %s", number_print(high_ns / u.factor, 2, text), u.unit);
	html_cell_end(t);
}
