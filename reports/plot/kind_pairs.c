/* Two values of each configuration: time against energy with the front, and one run against
 * another with the diagonal. */
#include <math.h>
#include <stdlib.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/reduce.h"

enum { POINTS = 2400, FRONT = 500 };

static const double log_from = 6; /* a range of such a ratio is shown by logarithms */

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

static void init_axis(struct axis *a, struct axis_range r, size_t ticks, const char *unit)
{
	if (r.high > log_from * r.low)
		axis_init_log(a, r, 0.05, ticks, unit);
	else
		axis_init(a, r, 0.05, ticks, unit);
}

static void write_pair(const struct picture_pair *p, struct plot_script *s)
{
	plot_script_number(s, p->x);
	plot_script_number(s, p->y);
	plot_script_row(s);
}

/* Those not on the front. */
static enum asc_status write_cloud(const struct cloud *c, const char *block, const struct axis *x,
				   bool in_key, struct plot_script *s, struct asc_err *e)
{
	double *places = calloc(2 * c->n + 1, sizeof *places);
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->n; i++) {
		places[i] = axis_place(x, c->pairs[i].x);
		places[c->n + i] = c->front[i] ? NAN : c->pairs[i].y;
	}
	enum asc_status status = reduce_columns(places, places + c->n, c->n, POINTS, &r, e);
	plot_script_begin(s, block);
	for (size_t i = 0; status == ASC_OK && i < c->n; i++)
		if (r.keep[i])
			write_pair(&c->pairs[i], s);
	plot_script_end_points(s, in_key);
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
			write_pair(&c->pairs[i], s);
	}
	s->shown += s->rows;
	plot_script_end_points(s, true);
}

static enum asc_status draw_front(const struct picture *p, const struct cloud *c,
				  struct plot_script *s, struct asc_err *e)
{
	struct axis x, y;
	unsigned width = picture_width(p);

	init_axis(&x, c->x, width < 600 ? 4 : 7, "s");
	init_axis(&y, c->y, 6, "J");
	struct plot_frame f = {.width = width,
			       .height = picture_height(p, PICTURE_HEIGHT),
			       .left = plot_frame_left(&y, true),
			       .right = 40,
			       .bottom = 48};
	f.top = plot_frame_top(&f, 2, 13);
	plot_script_frame(s, &f, &x, &y);
	plot_script_label_x(s, "kernel time (less is better)");
	plot_script_label_y(s, p->quantity ? p->quantity : "energy per launch");
	write_front(c, s);
	return write_cloud(c, "CLOUD", &x, true, s, e);
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

static void write_side(struct plot_script *s, const char *block, double x, double y,
		       const char *text)
{
	plot_script_begin(s, block);
	plot_script_number(s, x);
	plot_script_number(s, y);
	plot_script_name(s, text, PICTURE_NAME_LENGTH);
	plot_script_row(s);
	plot_script_end(s);
}

static void write_diagonal(const struct axis *a, struct plot_script *s)
{
	plot_script_begin(s, "DIAGONAL");
	write_pair(&(struct picture_pair){a->low, a->low}, s);
	write_pair(&(struct picture_pair){a->high, a->high}, s);
	plot_script_end(s);
	write_side(s, "SLOWER", axis_value(a, 0.015), axis_value(a, 0.95),
		   "above the line: slower");
	write_side(s, "FASTER", axis_value(a, 0.985), axis_value(a, 0.05),
		   "below the line: faster");
}

static enum asc_status draw_comparison(const struct picture *p, const struct cloud *c,
				       struct plot_script *s, struct asc_err *e)
{
	struct axis_range all = {fmin(c->x.low, c->y.low), fmax(c->x.high, c->y.high)};
	struct axis a;

	init_axis(&a, all, picture_width(p) < 600 ? 4 : 7, plot_script_unit(p));
	struct plot_frame f = {.width = picture_width(p),
			       .height = picture_height(p, 440),
			       .left = plot_frame_left(&a, true),
			       .right = 30,
			       .top = 10,
			       .bottom = 48};
	plot_script_frame(s, &f, &a, &a);
	plot_script_label_x(s, p->data.comparison->x_name);
	plot_script_label_y(s, p->data.comparison->y_name);
	write_diagonal(&a, s);
	return write_cloud(c, "PAIRS", &a, false, s, e);
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
