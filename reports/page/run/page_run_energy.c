/* The view of energy: time and energy of each configuration, and the front of both. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

struct energies {
	struct picture_pair *pairs; /* heap */
	size_t n, room;
};

static enum asc_status add_energy(void *user, int64_t trial_id, double ns, double joules,
				  struct asc_err *e)
{
	struct energies *x = user;

	(void)trial_id;
	if (!array_room(&x->pairs, x->n, &x->room, sizeof *x->pairs))
		return asc_err_nomem(e);
	x->pairs[x->n++] = (struct picture_pair){ns * 1e-9, joules, NULL};
	return ASC_OK;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct picture_pair *x = a, *y = b;

	if (x->x < y->x || x->x > y->x)
		return x->x < y->x ? -1 : 1;
	return (x->y > y->y) - (x->y < y->y);
}

/* Writes the front by time: each configuration that takes less energy than all faster ones. */
static void write_front(struct page_run *r, struct energies *x)
{
	static const struct html_column columns[] = {
		{"time", NULL, true}, {"energy", "mJ", true}, {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_front", r->id),
			       .caption = "The front: nothing is better in both",
			       .columns = columns,
			       .data = true};
	double least = INFINITY;

	/* By time, then energy: then the front is where the least energy so far falls. */
	qsort(x->pairs, x->n, sizeof *x->pairs, compare_pairs);
	html_table_begin(&t);
	for (size_t k = 0; k < x->n; k++) {
		if (!(x->pairs[k].y < least) || !html_table_row(&t))
			continue;
		least = x->pairs[k].y;
		html_cell_time(&t, x->pairs[k].x * 1e9);
		html_cell_number(&t, least * 1e3, 3);
	}
	html_table_end(&t);
}

static enum asc_status write_energy(struct page_run *r, struct energies *x, struct asc_err *e)
{
	struct picture_pareto *d = page_alloc(r->p, sizeof *d);
	struct picture_pair *pairs = page_alloc(r->p, x->n * sizeof *pairs);

	if (!d || !pairs)
		return asc_err_nomem(e);
	for (size_t k = 0; k < x->n; k++)
		pairs[k] = x->pairs[k];
	*d = (struct picture_pareto){pairs, x->n};
	const struct picture picture = {
		.kind = PICTURE_PARETO,
		.data.pareto = d,
		.id = page_print(r->p, "%s_energy", r->id),
		.title = "Time and energy",
		.description = page_print(
			r->p, "Time and energy of %zu configurations that passed.", x->n)};

	page_run_heading(r, "Energy");
	page_figure_begin(r->p, &picture, picture.description);
	write_front(r, x);
	page_figure_end(r->p);
	return ASC_OK;
}

enum asc_status page_run_energy(struct page_run *r, struct asc_err *e)
{
	struct energies x = {0};
	enum asc_status status = db_each_run_energy(r->p->db, &r->row->range, add_energy, &x, e);

	if (status == ASC_OK && x.n)
		status = write_energy(r, &x, e);
	else if (status == ASC_OK)
		page_run_lacks(r, "energy (--probe counts it where the device tells)");
	free(x.pairs);
	return status;
}
