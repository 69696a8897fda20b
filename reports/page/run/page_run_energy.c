/* The view of energy: time and energy of a launch of each configuration whose energy was measured,
 * the front of both, and what each objective chooses. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/result/objective.h"

struct measured {
	const char *name; /* in the page's arena: the configuration */
	struct objective_cost cost;
	bool winner;        /* of the finals */
	const char *chosen; /* "time, edp": by these objectives; NULL: by none */
};

struct energies {
	struct page_run *r;
	struct measured *list; /* heap; the fastest first */
	size_t n, room;
};

static enum asc_status add_energy(void *user, const struct db_run_energy *x, struct asc_err *e)
{
	struct energies *all = user;

	if (!array_room(&all->list, all->n, &all->room, sizeof *all->list))
		return asc_err_nomem(e);
	all->list[all->n++] = (struct measured){
		.name = page_print(all->r->p, "%s %s", x->implementation, x->config_key),
		.cost = {{x->ns, x->low_ns, x->high_ns}, {x->joules, x->low_j, x->high_j}},
		.winner = x->winner};
	return ASC_OK;
}

/* Names what each objective chooses of these; the finals choose by time. */
static enum asc_status choose(struct energies *x, struct asc_err *e)
{
	struct objective_cost *costs = page_alloc(x->r->p, x->n * sizeof *costs);
	size_t ties;

	if (!costs)
		return asc_err_nomem(e);
	for (size_t i = 0; i < x->n; i++)
		costs[i] = x->list[i].cost;
	for (enum objective o = 0; o < OBJECTIVE_COUNT; o++) {
		size_t chosen = o == OBJECTIVE_TIME ? 0 : objective_choose(o, costs, x->n, &ties);

		while (o == OBJECTIVE_TIME && chosen < x->n && !x->list[chosen].winner)
			chosen++;
		if (chosen == x->n)
			continue;
		struct measured *m = &x->list[chosen];

		m->chosen = m->chosen ? page_print(x->r->p, "%s, %s", m->chosen, objective_name(o))
				      : objective_name(o);
	}
	return ASC_OK;
}

static void put_width(struct html_table *t, const struct objective_figure *f)
{
	html_cell_number(t, f->high > f->low ? 50 * (f->high - f->low) / f->value : NAN, 1);
}

/* Writes the front by time, each configuration that takes less energy than all faster ones, and
 * what is chosen beside it. */
static void write_front(const struct energies *x)
{
	static const struct html_column columns[] = {
		{"time", NULL, true}, {"±", "%", true},           {"energy", "mJ", true},
		{"±", "%", true},     {"chosen by", NULL, false}, {"configuration", NULL, false},
		{NULL, NULL, false}};
	struct html_table t = {.out = x->r->p->out,
			       .id = page_print(x->r->p, "%s_front", x->r->id),
			       .caption = "The front: nothing is better in both",
			       .columns = columns,
			       .data = true};
	double least = INFINITY;

	html_table_begin(&t);
	for (size_t k = 0; k < x->n; k++) {
		const struct measured *m = &x->list[k];
		const bool front = m->cost.joules.value < least;

		least = front ? m->cost.joules.value : least;
		if ((!front && !m->chosen) || !html_table_row(&t))
			continue;
		html_cell_time(&t, m->cost.ns.value);
		put_width(&t, &m->cost.ns);
		html_cell_number(&t, m->cost.joules.value * 1e3, 3);
		put_width(&t, &m->cost.joules);
		html_cell_text(&t, m->chosen ? m->chosen : "");
		html_cell_name(&t, m->name ? m->name : "", 80);
	}
	html_table_end(&t);
}

static enum asc_status write_energy(struct energies *x, struct asc_err *e)
{
	struct page_run *r = x->r;
	struct picture_pareto *d = page_alloc(r->p, sizeof *d);
	struct picture_cost *costs = page_alloc(r->p, x->n * sizeof *costs);

	if (!d || !costs || choose(x, e))
		return asc_err_nomem(e);
	for (size_t k = 0; k < x->n; k++) {
		const struct objective_figure *ns = &x->list[k].cost.ns,
					      *j = &x->list[k].cost.joules;

		costs[k] = (struct picture_cost){
			ns->value * 1e-9, ns->low * 1e-9, ns->high * 1e-9, j->value,
			j->low,           j->high,        x->list[k].name, x->list[k].chosen};
	}
	*d = (struct picture_pareto){costs, x->n};
	const struct picture picture = {
		.kind = PICTURE_PARETO,
		.data.pareto = d,
		.id = page_print(r->p, "%s_energy", r->id),
		.title = "Time and energy",
		.description = page_print(r->p,
					  "Time and energy of a launch of %zu configurations, "
					  "with their intervals.",
					  x->n)};

	page_run_heading(r, "Energy");
	page_figure_begin(r->p, &picture, picture.description);
	write_front(x);
	page_figure_end(r->p);
	return ASC_OK;
}

enum asc_status page_run_energy(struct page_run *r, struct asc_err *e)
{
	struct energies x = {.r = r};
	enum asc_status status =
		db_each_run_energy(r->p->db, r->row->range.run_id, add_energy, &x, e);

	if (status == ASC_OK && x.n)
		status = write_energy(&x, e);
	else if (status == ASC_OK)
		page_run_lacks(r, "energy (--probe energy, --objective energy)");
	free(x.list);
	return status;
}
