/* Scores of a search on recorded results over time. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/plot_script.h"

enum { CURVES = 6 /* colours that are told apart */, NAME_LENGTH = 40 };

static const double floor_score = -1; /* lower ones are not shown: the scale has no end */

/* Mean of the curves at value i; NaN: none is known there. */
static double mean_of(const struct picture_replay *r, size_t i)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < r->n; k++) {
		if (!isfinite(r->curves[k].values[i]))
			continue;
		sum += r->curves[k].values[i];
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static void write_curve(const struct picture_replay *r, const double *values, struct plot_script *s)
{
	for (size_t i = 0; i < r->n_values; i++)
		plot_script_point(s, (double)i / (double)(r->n_values - 1),
				  values ? values[i] : mean_of(r, i));
}

static void write_curves(const struct picture_replay *r, size_t n, struct plot_script *s)
{
	const char *names[CURVES];

	for (size_t k = 0; k < n; k++)
		names[k] = r->curves[k].name;
	plot_script_line(s, "N_CURVES = %zu", n);
	plot_script_texts(s, "CURVES", names, n, NAME_LENGTH);
	plot_script_begin(s, "CURVES");
	for (size_t k = 0; k < n; k++) {
		write_curve(r, r->curves[k].values, s);
		plot_script_gap(s);
		plot_script_gap(s);
	}
	plot_script_end(s);
}

static enum asc_status write_replay(const struct picture *p, struct plot_script *s,
				    struct asc_err *e)
{
	const struct picture_replay *r = p->data.replay;
	const size_t n = r->n < CURVES ? r->n : CURVES;
	struct axis_range scores = {0, 1}; /* random search and the optimum are on the axis */
	struct axis x, y;

	if (n == 0 || r->n_values < 2)
		return asc_err_set(e, ASC_INPUT, "nothing was replayed");
	for (size_t k = 0; k < r->n; k++)
		for (size_t i = 0; i < r->n_values; i++)
			axis_range_add(&scores, fmax(r->curves[k].values[i], floor_score));
	axis_init(&x, (struct axis_range){0, 1}, 0, "");
	axis_init(&y, scores, 0.03, "");
	plot_script_axes(s, &x, &y);
	plot_script_label(s, "x", "time, as a part of what random search takes to the cut-off");
	plot_script_label(s, "y", p->quantity ? p->quantity : "score (1: the optimum)");
	s->given = r->n;
	s->shown = n;
	/* At 0, the score of random search. */
	plot_script_begin(s, "RULE");
	plot_script_point(s, 0, 0);
	plot_script_point(s, 1, 0);
	plot_script_end(s);
	write_curves(r, n, s);
	plot_script_begin(s, "MEAN");
	if (r->n > 1)
		write_curve(r, NULL, s);
	plot_script_end(s);
	return ASC_OK;
}

const struct picture_ops replay_ops = {write_replay, piece_replay};
