/* Two values of each configuration: one run against another, with the diagonal. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/reduce.h"

enum { POINTS = 2400 }; /* three for each pixel of the width */

static const struct plot_frame frame = {.left = 100, .right = 36, .top = 34, .bottom = 56};

struct cloud {
	const struct plot_script *s;
	const char *then;           /* word between both values of a title */
	struct picture_pair *pairs; /* those above 0, by x, then y */
	size_t n;
	struct axis_range x, y;
};

static int compare(const void *a, const void *b)
{
	const struct picture_pair *p = a, *q = b;

	if (p->x < q->x || p->x > q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

static enum asc_status cloud_init(struct cloud *c, const struct picture_pair *pairs, size_t n,
				  struct asc_err *e)
{
	*c = (struct cloud){.pairs = calloc(n + 1, sizeof *c->pairs),
			    .x = axis_range_none,
			    .y = axis_range_none};
	if (!c->pairs)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		if (axis_is_positive(pairs[i].x) && axis_is_positive(pairs[i].y)) {
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
}

/* Writes at most POINTS of the pairs. */
static enum asc_status write_cloud(const struct cloud *c, const char *block, struct plot_script *s,
				   struct asc_err *e)
{
	double *places = calloc(2 * c->n + 1, sizeof *places);
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->n; i++) {
		places[i] = axis_place(&s->x, c->pairs[i].x);
		places[c->n + i] = c->pairs[i].y;
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

/* ---- titles ---- */

static bool place_pair(const void *data, size_t i, double *x, double *y)
{
	const struct cloud *c = data;

	*x = c->pairs[i].x;
	*y = c->pairs[i].y;
	return true;
}

static void tell_range(const struct axis_range *r, const struct axis *a, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	buf_add_str(out, axis_print(a, r->low, 3, text));
	if (r->high > r->low)
		buf_print(out, " to %s", axis_print(a, r->high, 3, text));
}

static void tell_pairs(const void *data, size_t from, size_t to, struct buf *out)
{
	const struct cloud *c = data;
	struct axis_range x = axis_range_none, y = axis_range_none;

	for (size_t i = from; i < to; i++) {
		axis_range_add(&x, c->pairs[i].x);
		axis_range_add(&y, c->pairs[i].y);
	}
	if (to - from > 1)
		buf_print(out, "%zu configurations: ", to - from);
	tell_range(&x, &c->s->x, out);
	buf_add_str(out, c->then);
	tell_range(&y, &c->s->y, out);
	if (to - from == 1 && c->pairs[from].name) {
		buf_add_str(out, ", ");
		picture_text_clean(out, c->pairs[from].name, PICTURE_TITLE_LENGTH);
	}
}

static void write_titles(struct cloud *c, const char *then, struct plot_script *s)
{
	c->s = s;
	c->then = then;
	plot_marks_add_dots(
		s,
		&(struct plot_dots){.data = c, .n = c->n, .place = place_pair, .tell = tell_pairs});
}

/* ---- one run against another ---- */

static enum asc_status draw_comparison(const struct picture *p, struct cloud *c,
				       struct plot_script *s, struct asc_err *e)
{
	/* One range for both axes: a pair that did not change lies on the diagonal. */
	const double ratio = p->data.comparison->ratio;
	struct axis_range all = {fmin(c->x.low, c->y.low), fmax(c->x.high, c->y.high)};
	struct axis a;

	axis_init_log(&a, all, 0.05, plot_script_unit(p));
	s->height = 440; /* nearly square: the diagonal should look like one */
	plot_script_frame(s, &frame);
	plot_script_axes(s, &a, &a);
	write_titles(c, ", then ", s);
	plot_script_begin(s, "DIAGONAL");
	plot_script_point(s, a.low, a.low);
	plot_script_point(s, a.high, a.high);
	plot_script_end(s);
	plot_script_begin(s, "MEDIAN");
	if (axis_is_positive(ratio)) { /* a line parallel to the diagonal, within the axes */
		const double low = fmax(a.low, a.low / ratio), high = fmin(a.high, a.high / ratio);

		plot_script_point(s, low, low * ratio);
		plot_script_point(s, high, high * ratio);
	}
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
