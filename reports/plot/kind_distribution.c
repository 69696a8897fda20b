/* How values are distributed in groups: a violin with a box in it, n under each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/plot/density.h"
#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"

enum { GROUPS = 12, LETTER = 8 };

static const double half_width = 0.4; /* of the widest place, of the distance of two groups */

struct violins {
	struct density *list; /* those with values, in order */
	const char **names;
	size_t n;
};

static void write_violin(const struct density *d, double at, struct plot_script *s)
{
	for (int k = 0; k < 2 * DENSITY_POINTS; k++) {
		int i = k < DENSITY_POINTS ? k : 2 * DENSITY_POINTS - 1 - k;
		double side = k < DENSITY_POINTS ? half_width : -half_width;
		plot_script_number(s, at + side * d->height[i]);
		plot_script_number(s, d->at[i]);
		plot_script_row(s);
	}
	plot_script_gap(s);
}

static void write_box(const struct density *d, double at, const char *name, size_t letters,
		      struct plot_script *s)
{
	char below[40];

	(void)snprintf(below, sizeof below, "n = %zu", d->n);
	plot_script_number(s, at);
	plot_script_number(s, d->median);
	plot_script_number(s, d->q1);
	plot_script_number(s, d->q3);
	plot_script_name_over(s, name, letters, below);
	plot_script_row(s);
}

static void write_blocks(const struct violins *v, struct plot_script *s)
{
	size_t letters = (size_t)(plot_frame_width(&s->frame) / (double)v->n / LETTER);

	plot_script_begin(s, "VIOLINS");
	for (size_t i = 0; i < v->n; i++)
		write_violin(&v->list[i], (double)i, s);
	plot_script_end(s);
	plot_script_begin(s, "WHISKERS");
	for (size_t i = 0; i < v->n; i++) {
		plot_script_number(s, (double)i);
		plot_script_number(s, v->list[i].low);
		plot_script_number(s, v->list[i].high);
		plot_script_row(s);
	}
	plot_script_end(s);
	plot_script_begin(s, "BOXES");
	for (size_t i = 0; i < v->n; i++)
		write_box(&v->list[i], (double)i, v->names[i], letters, s);
	plot_script_end(s);
}

static enum asc_status find_all(const struct picture_distribution *d, struct violins *v,
				struct asc_err *e)
{
	size_t n = d->n < GROUPS ? d->n : GROUPS;

	for (size_t i = 0; i < n; i++) {
		enum asc_status status =
			density_find(d->groups[i].values, d->groups[i].n, &v->list[v->n], e);
		if (status)
			return status;
		v->names[v->n] = d->groups[i].name;
		v->n += v->list[v->n].n > 0;
	}
	if (v->n == 0)
		return asc_err_set(e, ASC_INPUT, "no group has a value");
	return ASC_OK;
}

static void write_all(const struct picture *p, const struct violins *v, struct plot_script *s)
{
	struct axis_range r = axis_range_none;
	struct axis x = {.low = -0.6, .high = (double)v->n - 0.4}, y;
	const char *by = p->data.distribution->grouped_by;

	for (size_t i = 0; i < v->n; i++) {
		axis_range_add(&r, v->list[i].at[0]);
		axis_range_add(&r, v->list[i].at[DENSITY_POINTS - 1]);
		s->shown += v->list[i].n;
	}
	axis_init_log(&y, r, 0.04, 6, plot_script_unit(p));
	struct plot_frame f = {.width = picture_width(p),
			       .height = picture_height(p, PICTURE_HEIGHT),
			       .left = plot_frame_left(&y, true),
			       .right = 20,
			       .top = 12,
			       .bottom = by ? 66 : 46};
	plot_script_frame(s, &f, &x, &y);
	plot_script_quantity(s, p);
	if (by)
		plot_script_label_x(s, by);
	write_blocks(v, s);
}

static enum asc_status write_distribution(const struct picture *p, struct plot_script *s,
					  struct asc_err *e)
{
	const struct picture_distribution *d = p->data.distribution;
	struct violins v = {calloc(GROUPS, sizeof *v.list), calloc(GROUPS, sizeof *v.names), 0};
	enum asc_status status;

	if (v.list && v.names)
		status = find_all(d, &v, e);
	else
		status = asc_err_nomem(e);
	for (size_t i = 0; i < d->n; i++)
		s->given += d->groups[i].n;
	if (status == ASC_OK)
		write_all(p, &v, s);
	free(v.list);
	free(v.names);
	return status;
}

const struct picture_ops distribution_ops = {write_distribution, piece_distribution};
