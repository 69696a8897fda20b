/* The section of rooflines: best, default and baseline of all problems of a device, below the rates
 * that the device reaches. */
#include <math.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/results/profile_view.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

enum { ROOFS = 3 }; /* pictures, one for each device and type of elements */

/* True for a kernel that has a place below a roof. */
static bool has_place(const struct page_kernel *k)
{
	return k->best && k->run.flops > 0 && k->run.bytes > 0 && k->run.roof.flops > 0 &&
	       k->run.roof.bandwidth > 0;
}

/* True when both have the same roof: one device, and one type's peak. */
static bool share_roof(const struct page_kernel *a, const struct page_kernel *b)
{
	return strcmp(page_run_device(&a->run), page_run_device(&b->run)) == 0 &&
	       !(a->run.roof.flops < b->run.roof.flops) && !(a->run.roof.flops > b->run.roof.flops);
}

/* True for the first kernel of its roof. */
static bool is_first(const struct page *p, size_t kernel)
{
	for (size_t i = 0; i < kernel; i++)
		if (has_place(&p->kernels[i]) && share_roof(&p->kernels[i], &p->kernels[kernel]))
			return false;
	return has_place(&p->kernels[kernel]);
}

bool page_has_no_roofline(const struct page *p)
{
	for (size_t i = 0; i < p->n_kernels; i++)
		if (has_place(&p->kernels[i]))
			return false;
	return true;
}

static double rate_of(const struct page_kernel *k, double ns)
{
	return ns > 0 ? k->run.flops / (ns * 1e-9) : NAN;
}

/* ---- the picture ---- */

static void add_points(struct page *p, const struct page_kernel *k, struct picture_kernel *list,
		       size_t *n)
{
	const double intensity = k->run.flops / k->run.bytes;
	const struct page_best *b = k->best;

	const char *name = page_print(p, "%s/%s", b->workload, b->problem);

	list[(*n)++] =
		(struct picture_kernel){name, intensity, rate_of(k, b->median_ns), PICTURE_BEST};
	if (b->default_ns > 0 && !b->is_default)
		list[(*n)++] = (struct picture_kernel){name, intensity, rate_of(k, b->default_ns),
						       PICTURE_DEFAULT};
	for (size_t i = 0; i < b->baselines.n; i++)
		if (b->baselines.list[i].ns > 0)
			list[(*n)++] = (struct picture_kernel){name, intensity,
							       rate_of(k, b->baselines.list[i].ns),
							       PICTURE_BASELINE};
}

/* Adds a kernel that was profiled, by the bytes of each level. */
static void add_levels(struct page *p, const struct page_kernel *k, struct picture_levels *list,
		       size_t *n)
{
	struct profile_view v;
	double highest = 0;

	if (!k->best->profile)
		return;
	profile_view_of(k->best->profile, &v);
	struct picture_levels *to = &list[*n];

	*to = (struct picture_levels){
		.name = page_print(p, "%s/%s", k->best->workload, k->best->problem),
		.rate = rate_of(k, k->best->median_ns),
		.limit = PICTURE_LEVELS};
	for (size_t i = 0; i < v.n_levels && to->n < PICTURE_LEVELS; i++) {
		const struct profile_level *l = &v.levels[i];

		if (!(l->bytes > 0))
			continue;
		/* Of two caches the one nearer to its peak limits. */
		if (l->label == k->best->profile->label && !(l->part < highest)) {
			highest = l->part;
			to->limit = to->n;
		}
		to->levels[to->n] = l->name;
		to->intensities[to->n++] = k->run.flops / l->bytes;
	}
	*n += to->n > 0;
}

/* Adds the measured peaks of caches, as the profile of a kernel of this roof has them. */
static void add_caches(const struct page *p, const struct page_kernel *first,
		       struct picture_ceiling *list, size_t *n)
{
	const size_t own = *n;

	for (size_t k = 0; k < p->n_kernels && *n == own; k++) {
		struct profile_view v;

		if (!has_place(&p->kernels[k]) || !share_roof(first, &p->kernels[k]) ||
		    !p->kernels[k].best->profile)
			continue;
		profile_view_of(p->kernels[k].best->profile, &v);
		for (size_t i = 0; i < v.n_levels; i++)
			if (v.levels[i].label == LABEL_CACHE && v.levels[i].peak > 0)
				list[(*n)++] = (struct picture_ceiling){v.levels[i].name,
									v.levels[i].peak};
	}
}

static const struct picture_roofline *fill(struct page *p, const struct page_kernel *first)
{
	struct picture_roofline *d = page_alloc(p, sizeof *d);
	/* Each kernel has points for its best, default and baselines. */
	struct picture_kernel *kernels =
		page_alloc(p, ((2 + BASELINES_MAX) * p->n_kernels + 1) * sizeof *kernels);
	struct picture_ceiling *ceilings = page_alloc(p, (2 + PROFILE_LEVELS) * sizeof *ceilings);
	struct picture_levels *levels = page_alloc(p, (p->n_kernels + 1) * sizeof *levels);

	if (!d || !kernels || !ceilings || !levels)
		return NULL;
	ceilings[0] = (struct picture_ceiling){"measured peak", first->run.roof.flops};
	ceilings[1] = (struct picture_ceiling){"measured memory", first->run.roof.bandwidth};
	*d = (struct picture_roofline){&ceilings[0], 1, &ceilings[1], 1, kernels, 0, levels, 0};
	add_caches(p, first, &ceilings[1], &d->n_memories);
	for (size_t i = 0; i < p->n_kernels; i++)
		if (has_place(&p->kernels[i]) && share_roof(first, &p->kernels[i])) {
			add_points(p, &p->kernels[i], kernels, &d->n_kernels);
			add_levels(p, &p->kernels[i], levels, &d->n_levels);
		}
	return d;
}

/* ---- words and table ---- */

static void cell_rate(struct html_table *t, double rate)
{
	char text[UNITS_TEXT_SIZE];

	html_cell_begin_number(t, rate);
	buf_add_str(t->out, isfinite(rate) ? units_print_rate(rate, "FLOP/s", text) : "–");
	html_cell_end(t);
}

/* Writes the rate of the only baseline, or each one's with its name. */
static void cell_rates(struct html_table *t, const struct page_kernel *k)
{
	const struct baselines *b = &k->best->baselines;
	char text[UNITS_TEXT_SIZE];
	bool any = false;

	if (b->n < 2) {
		cell_rate(t, rate_of(k, b->list[0].ns));
		return;
	}
	html_cell_begin_number(t, rate_of(k, b->list[0].ns));
	for (size_t i = 0; i < b->n; i++) {
		if (!(b->list[i].ns > 0))
			continue;
		buf_print(t->out, "%s%s ", any ? ", " : "",
			  units_print_rate(rate_of(k, b->list[i].ns), "FLOP/s", text));
		html_name(t->out, b->list[i].name, 40);
		any = true;
	}
	buf_add_str(t->out, any ? "" : "–");
	html_cell_end(t);
}

static void write_row(struct html_table *t, const struct page_kernel *k)
{
	const struct page_best *b = k->best;

	html_cell_begin(t);
	page_kernel_write_name(b->workload, b->problem, t->out);
	html_cell_end(t);
	html_cell_number(t, k->run.flops / k->run.bytes, 2);
	cell_rate(t, rate_of(k, b->median_ns));
	html_cell_begin_number(t, b->part_pct > 0 ? b->part_pct : NAN);
	page_best_write_part(b, t->out);
	html_cell_end(t);
	cell_rate(t, rate_of(k, b->default_ns));
	cell_rates(t, k);
}

static void write_rates(struct page *p, const struct page_kernel *first)
{
	static const struct html_column columns[] = {
		{"kernel", NULL, false}, {"FLOP per byte", NULL, true},
		{"best", NULL, true},    {"of attainable", NULL, true},
		{"default", NULL, true}, {"baseline", NULL, true},
		{NULL, NULL, false}};
	struct html_table t = {.out = p->out,
			       .id = page_print(p, "%s_rates", first->id),
			       .caption = "Rates",
			       .columns = columns,
			       .data = true};

	html_table_begin(&t);
	for (size_t i = 0; i < p->n_kernels; i++)
		if (has_place(&p->kernels[i]) && share_roof(first, &p->kernels[i]) &&
		    html_table_row(&t))
			write_row(&t, &p->kernels[i]);
	html_table_end(&t);
}

static enum asc_status write_roof(struct page *p, const struct page_kernel *first,
				  struct asc_err *e)
{
	char peak[UNITS_TEXT_SIZE], memory[UNITS_TEXT_SIZE];
	const struct picture picture = {
		.kind = PICTURE_ROOFLINE,
		.data.roofline = fill(p, first),
		.id = page_print(p, "%s_roofline", first->id),
		.title = "Roofline",
		.description = page_print(
			p,
			"%.80s: peaks measured on the device, %s and %s; work and bytes as the "
			"workloads state them. Above the roof the data stayed in caches.",
			page_run_device(&first->run),
			units_print_rate(first->run.roof.flops, "FLOP/s", peak),
			units_print_rate(first->run.roof.bandwidth, "B/s", memory))};

	if (!picture.data.roofline)
		return asc_err_nomem(e);
	page_figure_begin(p, &picture, picture.description);
	write_rates(p, first);
	page_figure_end(p);
	return ASC_OK;
}

enum asc_status page_write_roofline(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t n = 0;

	for (size_t i = 0; i < p->n_kernels && status == ASC_OK; i++)
		if (is_first(p, i) && n++ < ROOFS)
			status = write_roof(p, &p->kernels[i], e);
	if (n > ROOFS)
		buf_print(p->out, "<p class=\"note\">%zu more rooflines are left out.</p>\n",
			  n - ROOFS);
	return status;
}
