/* The view of the distribution of times: for each value of the parameter that matters most, or for
 * each implementation where none does. */
#include <string.h>

#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"

enum { MAX_GROUPS = 64 };

struct grouping {
	const char *id, *by; /* the parameter's name; NULL: implementations */
	size_t parameter, n;
};

/* True for a member of the group: a trial of the implementation, or with the value of a parameter
 * of the winner's. */
static bool is_member(const struct page_run *r, const struct grouping *g, size_t group,
		      const struct run_trial *x)
{
	if (!run_trial_is_timed(x))
		return false;
	if (!g->by)
		return x->implementation == group;
	return x->implementation == r->winner && x->picks[g->parameter] == group;
}

/* Copies the values, since the table does not live as long as the page. */
static const char *name_group(const struct page_run *r, const struct grouping *g, size_t group)
{
	const struct run_implementation *i = r->table.implementations;

	return page_print(r->p, "%s",
			  g->by ? i[r->winner].parameters[g->parameter].values[group]
				: i[group].name);
}

/* Fills a group; false when out of memory. */
static bool fill_group(const struct page_run *r, const struct grouping *g, size_t group,
		       struct picture_group *out)
{
	size_t n = 0;

	for (size_t k = 0; k < r->table.n; k++)
		n += is_member(r, g, group, &r->table.trials[k]);
	double *values = page_alloc(r->p, (n + 1) * sizeof *values);

	*out = (struct picture_group){name_group(r, g, group), values, 0};
	for (size_t k = 0; values && k < r->table.n; k++)
		if (is_member(r, g, group, &r->table.trials[k]))
			values[out->n++] = r->table.trials[k].median_ns * 1e-9;
	return values != NULL;
}

/* Makes the data of the picture, without groups that have no members. */
static const struct picture_distribution *fill(const struct page_run *r, const struct grouping *g)
{
	struct picture_distribution *d = page_alloc(r->p, sizeof *d);
	struct picture_group *groups = page_alloc(r->p, MAX_GROUPS * sizeof *groups);

	if (!d || !groups)
		return NULL;
	d->groups = groups;
	d->grouped_by = g->by ? page_print(r->p, "%s", g->by) : NULL;
	for (size_t k = 0; k < g->n && k < MAX_GROUPS; k++) {
		if (!fill_group(r, g, k, &groups[d->n]))
			return NULL;
		d->n += groups[d->n].n > 0;
	}
	return d;
}

static const struct html_column columns[] = {
	{"group", NULL, false},  {"configurations", NULL, true},
	{"best", NULL, true},    {"median, its interval", NULL, true},
	{"slowest", NULL, true}, {NULL, NULL, false}};

static bool write_group(struct page_run *r, struct html_table *t, const struct picture_group *g)
{
	double *sorted = page_alloc(r->p, (g->n + 1) * sizeof *sorted);
	struct stats_interval i;

	if (!sorted)
		return false;
	memcpy(sorted, g->values, g->n * sizeof *sorted);
	const double median = stats_median(sorted, g->n, &i);

	html_cell_name(t, g->name, 60);
	html_cell_count(t, (long long)g->n);
	html_cell_time(t, sorted[0] * 1e9);
	if (i.known)
		page_cell_interval(t, median * 1e9, i.low * 1e9, i.high * 1e9);
	else
		html_cell_time(t, median * 1e9);
	html_cell_time(t, sorted[g->n - 1] * 1e9);
	return true;
}

static enum asc_status write_groups(struct page_run *r, const struct grouping *g, struct asc_err *e)
{
	const struct picture_distribution *d = fill(r, g);
	const char *of =
		g->by ? page_print(r->p, "each value of %s", g->by) : "each implementation";
	bool complete = d != NULL;

	if (!complete)
		return asc_err_nomem(e);
	const struct picture picture = {
		.kind = PICTURE_DISTRIBUTION,
		.data.distribution = d,
		.id = page_print(r->p, "%s_%s", r->id, g->id),
		.title = page_print(r->p, "Times for %s", of),
		.description = page_print(r->p,
					  "Times of the configurations that passed, for %s: "
					  "density of log time, box from quartile to quartile; "
					  "dots where fewer than 10 "
					  "passed.",
					  of)};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_t", picture.id),
			       .caption = picture.title,
			       .columns = columns,
			       .data = true};

	page_figure_begin(r->p, &picture, picture.description);
	html_table_begin(&t);
	for (size_t k = 0; complete && k < d->n; k++)
		if (html_table_row(&t))
			complete = write_group(r, &t, &d->groups[k]);
	html_table_end(&t);
	page_figure_end(r->p);
	return complete ? ASC_OK : asc_err_nomem(e);
}

static size_t count_with_times(const struct run_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_implementations; i++)
		n += t->implementations[i].ok > 0;
	return n;
}

enum asc_status page_run_distribution(struct page_run *r, struct asc_err *e)
{
	const struct run_effects *f = &r->effects;
	const bool several = count_with_times(&r->table) > 1;
	const bool matters = f->n_singles > 0 && f->singles[0].share > 0;
	enum asc_status status = ASC_OK;

	if (several || matters)
		page_run_heading(r, "Distribution");
	/* Groups by the parameter that matters most; implementations only if none matters. */
	if (several && !matters)
		status = write_groups(
			r, &(struct grouping){"kinds", NULL, 0, r->table.n_implementations}, e);
	if (matters) {
		const size_t parameter = f->singles[0].parameter;
		const struct run_parameter *p =
			&r->table.implementations[r->winner].parameters[parameter];

		status = write_groups(
			r, &(struct grouping){"values", p->name, parameter, p->n_values}, e);
	}
	if (!several && !matters)
		page_run_lacks(r, "distributions (one implementation, and no parameter that its "
				  "times go with)");
	return status;
}
