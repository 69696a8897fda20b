/* Two values of each configuration: time against energy with the front, and one run against
 * another with the diagonal. */
#include <math.h>
#include <stdlib.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/reduce.h"

enum { POINTS = 2400, FRONT = 500 };

struct cloud {
	struct picture_pair *pairs; /* those above 0, by x, then y */
	bool *front;                /* none is less in both */
	size_t n, n_front;
	struct axis_range x, y;
};

static int compare(const void *a, const void *b)
{
	const struct picture_pair *p = a, *q = b;

	if (p->x < q->x || p->x > q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

static bool is_value(double v)
{
	return isfinite(v) && v > 0;
}

static enum asc_status cloud_init(struct cloud *c, const struct picture_pair *pairs, size_t n,
				  struct asc_err *e)
{
	*c = (struct cloud){calloc(n + 1, sizeof *c->pairs), calloc(n + 1, sizeof *c->front),
			    .x = axis_range_none, .y = axis_range_none};
	if (!c->pairs || !c->front)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		if (is_value(pairs[i].x) && is_value(pairs[i].y)) {
			axis_range_add(&c->x, pairs[i].x);
			axis_range_add(&c->y, pairs[i].y);
			c->pairs[c->n++] = pairs[i];
		}
	if (c->n == 0)
		return asc_err_set(e, ASC_INPUT, "no configuration has both values");
	qsort(c->pairs, c->n, sizeof *c->pairs, compare);
	return ASC_OK;
}

static void cloud_fini(struct cloud *c)
{
	free(c->pairs);
	free(c->front);
}

static void find_front(struct cloud *c)
{
	double low = INFINITY;

	for (size_t i = 0; i < c->n; i++) {
		c->front[i] = c->pairs[i].y < low;
		c->n_front += c->front[i];
		low = fmin(low, c->pairs[i].y);
	}
}

/* Pairs that are not on the front. */
static enum asc_status write_cloud(const struct cloud *c, const char *block, struct plot_script *s,
				   struct asc_err *e)
{
	double *places = calloc(2 * c->n + 1, sizeof *places);
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->n; i++) {
		places[i] = axis_place(&s->x, c->pairs[i].x);
		places[c->n + i] = c->front[i] ? NAN : c->pairs[i].y;
	}
	enum asc_status status = reduce_columns(places, places + c->n, c->n, POINTS, &r, e);
	plot_script_begin(s, block);
	for (size_t i = 0; status == ASC_OK && i < c->n; i++)
		if (r.keep[i])
			plot_script_point(s, c->pairs[i].x, c->pairs[i].y);
	plot_script_end(s);
	s->shown += r.kept;
	reduction_fini(&r);
	free(places);
	return status;
}

/* ---- time against energy ---- */

/* A front of more than FRONT points is thinned evenly, its ends kept. */
static void write_front(const struct cloud *c, struct plot_script *s)
{
	size_t seen = 0, every = c->n_front / FRONT + 1;

	plot_script_begin(s, "FRONT");
	for (size_t i = 0; i < c->n; i++) {
		if (!c->front[i])
			continue;
		seen++;
		if ((seen - 1) % every == 0 || seen == c->n_front)
			plot_script_point(s, c->pairs[i].x, c->pairs[i].y);
	}
	s->shown += s->rows;
	plot_script_end(s);
}

static enum asc_status draw_front(const struct picture *p, const struct cloud *c,
				  struct plot_script *s, struct asc_err *e)
{
	struct axis x, y;

	axis_init_log(&x, c->x, 0.05, "s");
	axis_init_log(&y, c->y, 0.05, "J");
	plot_script_axes(s, &x, &y);
	plot_script_label(s, "x", "kernel time (less is better)");
	plot_script_label(s, "y", p->quantity ? p->quantity : "energy per launch");
	write_front(c, s);
	return write_cloud(c, "CLOUD", s, e);
}

static enum asc_status write_pareto(const struct picture *p, struct plot_script *s,
				    struct asc_err *e)
{
	const struct picture_pareto *d = p->data.pareto;
	struct cloud c;
	enum asc_status status = cloud_init(&c, d->pairs, d->n, e);

	if (status == ASC_OK) {
		s->given = c.n;
		find_front(&c);
		status = draw_front(p, &c, s, e);
	}
	cloud_fini(&c);
	return status;
}

const struct picture_ops pareto_ops = {write_pareto, piece_pareto};

/* ---- one run against another ---- */

static enum asc_status draw_comparison(const struct picture *p, const struct cloud *c,
				       struct plot_script *s, struct asc_err *e)
{
	struct axis_range all = {fmin(c->x.low, c->y.low), fmax(c->x.high, c->y.high)};
	struct axis a;

	axis_init_log(&a, all, 0.05, plot_script_unit(p));
	s->height = 440;
	plot_script_axes(s, &a, &a);
	plot_script_begin(s, "DIAGONAL");
	plot_script_point(s, a.low, a.low);
	plot_script_point(s, a.high, a.high);
	plot_script_end(s);
	plot_script_label(s, "x", p->data.comparison->x_name);
	plot_script_label(s, "y", p->data.comparison->y_name);
	return write_cloud(c, "PAIRS", s, e);
}

static enum asc_status write_comparison(const struct picture *p, struct plot_script *s,
					struct asc_err *e)
{
	const struct picture_comparison *d = p->data.comparison;
	struct cloud c;
	enum asc_status status = cloud_init(&c, d->pairs, d->n, e);

	if (status == ASC_OK) {
		s->given = c.n;
		status = draw_comparison(p, &c, s, e);
	}
	cloud_fini(&c);
	return status;
}

const struct picture_ops comparison_ops = {write_comparison, piece_comparison};
