/* Distribution of values in groups: a violin with a box in it, n under each. gnuplot finds
 * densities and quartiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"
#include "tuner/base/stats/stats.h"

enum {
	GROUPS = 12,  /* violins that have room side by side, each with its name */
	LETTER = 8,   /* pixels of a letter below a violin, rather more */
	POINTS = 3000 /* of a group: densities of more look the same, and take gnuplot longer */
};

/* Frames without and with a label of the x axis, which takes a line below the names. */
static const struct plot_frame frame = {.left = 100, .right = 36, .top = 16, .bottom = 50};
static const struct plot_frame named_frame = {.left = 100, .right = 36, .top = 16, .bottom = 74};

struct groups { /* with values, in order */
	const struct picture_group *list[GROUPS];
	size_t counts[GROUPS]; /* of values */
	size_t n;
	struct axis_range range;
};

static void add_group(struct groups *all, const struct picture_group *g, size_t *given)
{
	struct axis_range r = all->range;
	size_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		if (axis_is_positive(g->values[i])) {
			axis_range_add(&r, g->values[i]);
			count++;
		}
	*given += count;
	if (count == 0 || all->n == GROUPS)
		return;
	all->range = r;
	all->counts[all->n] = count;
	all->list[all->n++] = g;
}

/* Writes at most POINTS values of each group in the axis's unit, every k-th one: values come in the
 * order of the search, and a part of it would be of one neighbourhood. */
static void write_values(const struct groups *all, double factor, struct plot_script *s)
{
	plot_script_begin(s, "VALUES");
	for (size_t k = 0; k < all->n; k++) {
		const struct picture_group *g = all->list[k];
		size_t seen = 0, every = all->counts[k] / POINTS + 1;
		for (size_t i = 0; i < g->n; i++)
			if (axis_is_positive(g->values[i]) && seen++ % every == 0) {
				plot_script_number(s, g->values[i] / factor);
				plot_script_row(s);
			}
		plot_script_gap(s);
		plot_script_gap(s);
	}
	s->shown = s->rows;
	plot_script_end(s);
}

static void write_names(const struct groups *all, struct plot_script *s)
{
	plot_script_begin(s, "GROUPS");
	for (size_t k = 0; k < all->n; k++) {
		plot_script_number(s, (double)k);
		plot_script_name(s, all->list[k]->name, PICTURE_PLOT_WIDTH / all->n / LETTER);
		plot_script_number(s, (double)all->counts[k]);
		plot_script_row(s);
	}
	plot_script_end(s);
}

/* Writes the title of each group over its part of the width. */
static enum asc_status write_titles(const struct groups *all, struct plot_script *s,
				    struct asc_err *e)
{
	char low[UNITS_TEXT_SIZE], middle[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	for (size_t k = 0; k < all->n; k++) {
		const struct picture_group *g = all->list[k];
		double *values = calloc(g->n, sizeof *values);
		struct buf text = {0};
		struct stats_interval range;
		size_t n = 0;

		if (!values)
			return asc_err_nomem(e);
		for (size_t i = 0; i < g->n; i++)
			if (axis_is_positive(g->values[i]))
				values[n++] = g->values[i];
		const double median = stats_median(values, n, &range);

		picture_text_clean(&text, g->name, PICTURE_NAME_LENGTH);
		buf_print(&text, ": %zu configuration%s, %s to %s, median %s", n, n == 1 ? "" : "s",
			  axis_print(&s->y, values[0], 3, low),
			  axis_print(&s->y, values[n - 1], 3, high),
			  axis_print(&s->y, median, 3, middle));
		plot_marks_add_column(s, (double)k, 0.9 * plot_frame_width(s) / (double)all->n,
				      buf_str(&text));
		s->marks.failed |= text.failed;
		buf_fini(&text);
		free(values);
	}
	return ASC_OK;
}

static enum asc_status write_distribution(const struct picture *p, struct plot_script *s,
					  struct asc_err *e)
{
	const struct picture_distribution *d = p->data.distribution;
	struct groups all = {.range = axis_range_none};
	struct axis x, y;

	for (size_t k = 0; k < d->n; k++)
		add_group(&all, &d->groups[k], &s->given);
	if (all.n == 0)
		return asc_err_set(e, ASC_INPUT, "no group has a value");
	/* Violins stand at 0, 1, ... and are up to 0.9 wide. */
	axis_init(&x, (struct axis_range){-0.6, (double)all.n - 0.4}, 0, "");
	axis_init_log(&y, all.range, 0.08, plot_script_unit(p));
	write_values(&all, y.unit.factor, s);
	write_names(&all, s);
	plot_script_line(s, "N = %zu", all.n);
	buf_add_str(&s->text, piece_densities);
	plot_script_frame(s, d->grouped_by ? &named_frame : &frame);
	plot_script_axes(s, &x, &y);
	plot_script_quantity(s, p);
	if (d->grouped_by)
		plot_script_label(s, "x", d->grouped_by);
	return write_titles(&all, s, e);
}

const struct picture_ops distribution_ops = {write_distribution, piece_distribution};
