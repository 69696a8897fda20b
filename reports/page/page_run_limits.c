/* The view of limits: the fraction of the attainable rate that the best reach, and their energy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_figure.h"
#include "reports/page/page_run.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/results/roofline.h"

static void note(const struct page_run *r, const char *text)
{
	buf_print(r->p->out, "<p class=\"note\">%s</p>\n", text);
}

/* ---- roofline ---- */

static double rate_of(const struct page_run *r, double ns)
{
	return r->row->flops / (ns * 1e-9);
}

/* Time of a configuration, in the finals where it took part: all points are of the same moments. */
static double time_of(const struct page_run *r, const struct run_trial *t)
{
	const char *name = r->table.implementations[t->implementation].name;

	for (size_t i = 0; i < r->finals.n; i++)
		if (strcmp(r->finals.list[i].implementation, name) == 0 &&
		    strcmp(r->finals.list[i].config_key, t->config_key) == 0)
			return r->finals.list[i].median_ns;
	return t->median_ns;
}

/* Time of the default of the best's implementation; 0: not measured. */
static double find_default(const struct page_run *r)
{
	for (size_t k = 0; k < r->table.n; k++) {
		const struct run_trial *t = &r->table.trials[k];

		if (t->is_default && t->implementation == r->winner && run_trial_is_timed(t))
			return time_of(r, t);
	}
	return 0;
}

/* Fastest time of the baseline implementation; 0: not measured. */
static double find_baseline(const struct page_run *r)
{
	double best = 0;

	for (size_t k = 0; r->row->baseline && k < r->table.n; k++) {
		const struct run_trial *t = &r->table.trials[k];
		const char *name = r->table.implementations[t->implementation].name;

		if (strcmp(name, r->row->baseline) == 0 && run_trial_is_timed(t) &&
		    (best == 0 || time_of(r, t) < best))
			best = time_of(r, t);
	}
	return best;
}

/* Adds the first ones as points; best, default and baseline with names, since all are at one
 * intensity. */
static const struct picture_roofline *fill_roofline(const struct page_run *r)
{
	const struct db_run_view *v = r->row;
	const double default_ns = find_default(r), baseline_ns = find_baseline(r);
	struct picture_roofline *d = page_alloc(r->p, sizeof *d);
	struct picture_kernel *kernels = page_alloc(r->p, (r->n_top + 2) * sizeof *kernels);
	struct picture_ceiling *ceilings = page_alloc(r->p, 2 * sizeof *ceilings);

	if (!d || !kernels || !ceilings)
		return NULL;
	ceilings[0] = (struct picture_ceiling){"measured peak", v->peak_flops};
	ceilings[1] = (struct picture_ceiling){"measured memory", v->peak_bandwidth};
	*d = (struct picture_roofline){&ceilings[0], 1, &ceilings[1], 1, kernels, 0};
	for (size_t k = 0; k < r->n_top; k++)
		kernels[d->n_kernels++] = (struct picture_kernel){
			k ? "" : "best", v->flops / v->bytes, rate_of(r, r->top[k].ns)};
	if (default_ns > 0)
		kernels[d->n_kernels++] = (struct picture_kernel){"default", v->flops / v->bytes,
								  rate_of(r, default_ns)};
	if (baseline_ns > 0)
		kernels[d->n_kernels++] = (struct picture_kernel){v->baseline, v->flops / v->bytes,
								  rate_of(r, baseline_ns)};
	return d;
}

static void write_point(const struct page_run *r, struct html_table *t, const struct roof *roof,
			const char *name, double ns)
{
	char text[UNITS_TEXT_SIZE];
	struct roofline at;

	if (!(ns > 0) || !html_table_row(t))
		return;
	(void)roofline_place(roof, r->row->flops, r->row->bytes, ns, &at);
	html_cell_name(t, name, PAGE_RUN_CONFIG);
	html_cell_time(t, ns);
	html_cell_begin_number(t, rate_of(r, ns));
	buf_add_str(t->out, units_print_rate(rate_of(r, ns), "FLOP/s", text));
	html_cell_end(t);
	html_cell_number(t, 100 * at.part, 1);
}

static void write_points(struct page_run *r, const struct roof *roof)
{
	static const struct html_column columns[] = {{"configuration", NULL, false},
						     {"time", NULL, true},
						     {"rate", NULL, true},
						     {"of what is attainable", "%", true},
						     {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_rates", r->id),
			       .caption = "Rates of the first configurations",
			       .columns = columns,
			       .data = true};

	html_table_begin(&t);
	for (size_t k = 0; k < r->n_top; k++)
		write_point(r, &t, roof, r->top[k].config_key, r->top[k].ns);
	write_point(r, &t, roof, "default", find_default(r));
	write_point(r, &t, roof, r->row->baseline, find_baseline(r));
	html_table_end(&t);
}

static const char *describe_roofline(const struct page_run *r, const struct roofline *best)
{
	char peak[UNITS_TEXT_SIZE], memory[UNITS_TEXT_SIZE];

	const char *where =
		roofline_is_cached(best)
			? page_print(r->p,
				     "is %.3g times as fast as memory allows: the data stayed in "
				     "caches.",
				     best->part)
			: page_print(r->p,
				     "reaches %.0f %% of what is attainable; %s is the limit.",
				     100 * best->part, best->bound);

	return page_print(
		r->p,
		"At %.3g FLOP per byte the best %s Peaks are measured on this device: %s, %s. Work "
		"and bytes are those that the workload states.",
		best->intensity, where, units_print_rate(r->row->peak_flops, "FLOP/s", peak),
		units_print_rate(r->row->peak_bandwidth, "B/s", memory));
}

enum asc_status page_run_limits(struct page_run *r, struct asc_err *e)
{
	const struct roof roof = {r->row->peak_flops, r->row->peak_bandwidth};
	struct roofline best;

	if (r->n_top == 0) {
		note(r, "Nothing passed.");
		return ASC_OK;
	}
	if (!(r->row->flops > 0 && r->row->bytes > 0)) {
		note(r, "The workload does not state FLOPs and bytes of this problem.");
		return ASC_OK;
	}
	if (!roofline_place(&roof, r->row->flops, r->row->bytes, r->top[0].ns, &best)) {
		note(r, "The peaks of this device were not measured.");
		return ASC_OK;
	}
	const struct picture_roofline *d = fill_roofline(r);
	if (!d)
		return asc_err_nomem(e);
	const struct picture picture = {.kind = PICTURE_ROOFLINE,
					.data.roofline = d,
					.id = page_print(r->p, "%s_roofline", r->id),
					.title = "Roofline of the first configurations",
					.description = describe_roofline(r, &best)};

	page_figure_begin(r->p, &picture, picture.description);
	write_points(r, &roof);
	page_figure_end(r->p);
	return ASC_OK;
}

/* ---- energy ---- */

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
	x->pairs[x->n++] = (struct picture_pair){ns * 1e-9, joules};
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
		note(r, "Energy was not measured.");
	free(x.pairs);
	return status;
}
