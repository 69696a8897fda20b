/* Time against energy of a launch, with the intervals of both: the front as a stair, and what each
 * objective chooses. */
#include <math.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"

/* Configurations that are drawn, the fastest: a run measures the energies of a few dozen. */
enum { MOST = 200 };

static const struct plot_frame frame = {.left = 100, .right = 36, .top = 34, .bottom = 56};

struct costs {
	const struct plot_script *s;
	struct picture_cost *list; /* those above 0, by time, then energy */
	size_t n;
	struct axis_range x, y;
};

static int compare(const void *a, const void *b)
{
	const struct picture_cost *p = a, *q = b;

	if (p->seconds < q->seconds || p->seconds > q->seconds)
		return p->seconds < q->seconds ? -1 : 1;
	return (p->joules > q->joules) - (p->joules < q->joules);
}

/* An end of an interval that has a place on the axis; else the value itself, so that nothing is
 * drawn. */
static double end_of(double end, double value)
{
	return axis_is_positive(end) ? end : value;
}

static enum asc_status costs_init(struct costs *c, const struct picture_pareto *d,
				  struct asc_err *e)
{
	*c = (struct costs){.list = calloc(d->n + 1, sizeof *c->list),
			    .x = axis_range_none,
			    .y = axis_range_none};
	if (!c->list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < d->n; i++)
		if (axis_is_positive(d->costs[i].seconds) && axis_is_positive(d->costs[i].joules))
			c->list[c->n++] = d->costs[i];
	if (c->n == 0)
		return asc_err_set(e, ASC_INPUT, "no configuration has both values");
	qsort(c->list, c->n, sizeof *c->list, compare);
	for (size_t i = 0; i < c->n && i < MOST; i++) {
		struct picture_cost *k = &c->list[i];

		k->seconds_low = end_of(k->seconds_low, k->seconds);
		k->seconds_high = end_of(k->seconds_high, k->seconds);
		k->joules_low = end_of(k->joules_low, k->joules);
		k->joules_high = end_of(k->joules_high, k->joules);
		axis_range_add(&c->x, k->seconds_low);
		axis_range_add(&c->x, k->seconds_high);
		axis_range_add(&c->y, k->joules_low);
		axis_range_add(&c->y, k->joules_high);
	}
	return ASC_OK;
}

static bool place_cost(const void *data, size_t i, double *x, double *y)
{
	const struct costs *c = data;

	*x = c->list[i].seconds;
	*y = c->list[i].joules;
	return true;
}

static void tell_costs(const void *data, size_t from, size_t to, struct buf *out)
{
	const struct costs *c = data;
	char text[UNITS_TEXT_SIZE];

	if (to - from > 1)
		buf_print(out, "%zu configurations from ", to - from);
	buf_add_str(out, axis_print(&c->s->x, c->list[from].seconds, 3, text));
	buf_print(out, ", %s", axis_print(&c->s->y, c->list[from].joules, 3, text));
	if (to - from == 1 && c->list[from].name) {
		buf_add_str(out, ", ");
		picture_text_clean(out, c->list[from].name, PICTURE_TITLE_LENGTH);
	}
}

/* Writes value and interval of both, as error bars have them. */
static void write_bars(const struct costs *c, size_t n, struct plot_script *s)
{
	plot_script_begin(s, "COSTS");
	for (size_t i = 0; i < n; i++) {
		const struct picture_cost *k = &c->list[i];

		plot_script_x(s, k->seconds);
		plot_script_y(s, k->joules);
		plot_script_x(s, k->seconds_low);
		plot_script_x(s, k->seconds_high);
		plot_script_y(s, k->joules_low);
		plot_script_y(s, k->joules_high);
		plot_script_row(s);
	}
	s->shown += s->rows;
	plot_script_end(s);
}

/* Writes each configuration that takes less energy than all faster ones. */
static void write_front(const struct costs *c, size_t n, struct plot_script *s)
{
	double least = INFINITY;

	plot_script_begin(s, "FRONT");
	for (size_t i = 0; i < n; i++)
		if (c->list[i].joules < least) {
			least = c->list[i].joules;
			plot_script_point(s, c->list[i].seconds, least);
		}
	plot_script_end(s);
}

/* Labels stand to the right of their marks, at the right end of the picture to the left. */
static void write_chosen(const struct costs *c, size_t n, bool right, struct plot_script *s)
{
	plot_script_begin(s, right ? "CHOSEN_RIGHT" : "CHOSEN");
	for (size_t i = 0; i < n; i++) {
		const struct picture_cost *k = &c->list[i];

		if (!k->chosen || (axis_place(&s->x, k->seconds) > 0.75) != right)
			continue;
		plot_script_x(s, k->seconds);
		plot_script_y(s, k->joules);
		plot_script_name(s, k->chosen, PICTURE_TITLE_LENGTH);
		plot_script_row(s);
	}
	plot_script_end(s);
}

static enum asc_status write_pareto(const struct picture *p, struct plot_script *s,
				    struct asc_err *e)
{
	struct axis x, y;
	struct costs c;
	const enum asc_status status = costs_init(&c, p->data.pareto, e);

	if (status == ASC_OK) {
		const size_t n = c.n < MOST ? c.n : MOST;

		s->given = c.n;
		axis_init_log(&x, c.x, 0.05, "s");
		axis_init_log(&y, c.y, 0.05, "J");
		plot_script_frame(s, &frame);
		plot_script_axes(s, &x, &y);
		c.s = s;
		plot_marks_add_dots(
			s, &(struct plot_dots){
				   .data = &c, .n = n, .place = place_cost, .tell = tell_costs});
		plot_script_label(s, "x", "kernel time (less is better)");
		plot_script_label(s, "y", p->quantity ? p->quantity : "energy per launch");
		write_bars(&c, n, s);
		write_front(&c, n, s);
		write_chosen(&c, n, false, s);
		write_chosen(&c, n, true, s);
	}
	free(c.list);
	return status;
}

const struct picture_ops pareto_ops = {write_pareto, piece_pareto};
