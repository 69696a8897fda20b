#include "reports/track/changepoint/changepoint_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/stats.h"

enum {
	TABLE_ENTRIES = 400000, /* 3 MB: exact up to some 630 points */
	REACH_LEAST = 20        /* points, however long the series is: four of the least segments */
};

/* The newest `n` points before `end`, by value, and as a list that can lose its oldest one. */
struct window {
	size_t *sorted; /* indices of values */
	size_t n;
	size_t *place;       /* place[i] in `sorted` of point i, counted from the oldest */
	size_t *prev, *next; /* places; at the ends one that is n or more */
};

struct changepoint_fit {
	const double *values;
	size_t n, reach; /* points of the longest segment in the table */
	double *cost;    /* cost[end * reach + length - 1] of the segment before `end` */
	double *least;   /* least[n - end]: lowest cost before `end`, with penalties */
	size_t *length;  /* length of the last segment at that end */
	double *scratch; /* n */
	double *alone,
		*joined; /* while joining: cost of a segment, and of it joined with the next one */
	struct window window;
};

enum asc_status changepoint_fit_new(size_t n, struct changepoint_fit **out, struct asc_err *e)
{
	struct changepoint_fit *f = calloc(1, sizeof *f);

	*out = NULL;
	if (!f)
		return asc_err_nomem(e);
	f->n = n;
	f->reach = TABLE_ENTRIES / n < REACH_LEAST ? REACH_LEAST : TABLE_ENTRIES / n;
	if (f->reach > n)
		f->reach = n;
	f->cost = calloc((n + 1) * f->reach, sizeof *f->cost);
	f->least = calloc(4 * (n + 1), sizeof *f->least);
	f->length = calloc(n + 1 + 4 * f->reach, sizeof *f->length);
	if (!f->cost || !f->least || !f->length) {
		changepoint_fit_free(f);
		return asc_err_nomem(e);
	}
	f->scratch = f->least + n + 1;
	f->alone = f->scratch + n + 1;
	f->joined = f->alone + n + 1;
	f->window.sorted = f->length + n + 1;
	f->window.place = f->window.sorted + f->reach;
	f->window.prev = f->window.place + f->reach;
	f->window.next = f->window.prev + f->reach;
	*out = f;
	return ASC_OK;
}

void changepoint_fit_free(struct changepoint_fit *f)
{
	if (!f)
		return;
	free(f->cost);
	free(f->least);
	free(f->length);
	free(f);
}

/* ---- the table ----
 *
 * A median of all segments before one end is had by taking the oldest point out of the longest one
 * again and again: in a list in order of value the median moves by one at most. */

static void insert(struct window *w, const double *values, size_t index)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (values[w->sorted[middle]] < values[index])
			low = middle + 1;
		else
			high = middle;
	}
	memmove(w->sorted + low + 1, w->sorted + low, (w->n - low) * sizeof *w->sorted);
	w->sorted[low] = index;
	w->n++;
}

static void drop(struct window *w, size_t index)
{
	size_t at = 0;

	while (w->sorted[at] != index)
		at++;
	w->n--;
	memmove(w->sorted + at, w->sorted + at + 1, (w->n - at) * sizeof *w->sorted);
}

static void link_all(struct window *w, size_t oldest)
{
	for (size_t k = 0; k < w->n; k++) {
		w->place[w->sorted[k] - oldest] = k;
		w->prev[k] = k - 1;
		w->next[k] = k + 1;
	}
}

/* Removes the point at `place`; `lower` is the lower of the two middle points, before and after. */
static size_t unlink_one(struct window *w, size_t place, size_t lower, size_t n)
{
	size_t before = w->prev[place], after = w->next[place];

	/* An odd number has one middle point: without it, or one above, the lower middle is the
	 * point before it. An even number has two: without the lower, or one below, the middle is
	 * the upper one. */
	if (n % 2 && place >= lower)
		lower = w->prev[lower];
	else if (n % 2 == 0 && place <= lower)
		lower = w->next[lower];
	if (before < w->n)
		w->next[before] = after;
	if (after < w->n)
		w->prev[after] = before;
	return lower;
}

/* Any point between the two middle ones minimises the deviations, so one more value adds its
 * distance from that interval: row[k] is what value k adds to those after it, then their sum. */
static void fill_row(struct window *w, const double *values, size_t oldest, double *row)
{
	size_t lower = (w->n - 1) / 2;

	link_all(w, oldest);
	for (size_t n = w->n; n > 1; n--) {
		size_t index = oldest + w->n - n;

		lower = unlink_one(w, w->place[index - oldest], lower, n);
		double low = values[w->sorted[lower]], high = low, value = values[index];

		if (n % 2)
			high = values[w->sorted[w->next[lower]]];
		row[n - 1] = value < low ? low - value : value > high ? value - high : 0;
	}
	row[0] = 0;
	for (size_t k = 1; k < w->n; k++)
		row[k] += row[k - 1];
}

void changepoint_fit_set(struct changepoint_fit *f, const double *values)
{
	f->values = values;
	f->window.n = 0;
	for (size_t end = 1; end <= f->n; end++) {
		if (f->window.n == f->reach)
			drop(&f->window, end - 1 - f->reach);
		insert(&f->window, values, end - 1);
		fill_row(&f->window, values, end - f->window.n, f->cost + end * f->reach);
	}
}

/* ---- the fit ---- */

static double span_cost(struct changepoint_fit *f, size_t from, size_t to)
{
	double sum = 0;

	memcpy(f->scratch, f->values + from, (to - from) * sizeof *f->scratch);
	double median = stats_select_median(f->scratch, to - from);

	for (size_t i = from; i < to; i++)
		sum += fabs(f->values[i] - median);
	return sum;
}

double changepoint_fit_total(struct changepoint_fit *f)
{
	return span_cost(f, 0, f->n);
}

/* Finds the best last segment before `end`. */
static void extend(struct changepoint_fit *f, size_t end, double penalty)
{
	const double *row = f->cost + end * f->reach;
	const double *least =
		f->least + (f->n - end); /* cost of the points before a segment of each length */
	size_t longest = end < f->reach ? end : f->reach;
	/* Only the newest segment still grows. Ends that no segment reaches cost INFINITY. */
	size_t shortest = end == f->n ? SEGMENT_LEAST_LAST : SEGMENT_LEAST, best = 0;
	double lowest = INFINITY;

	for (size_t length = shortest; length <= longest; length++) {
		double sum = least[length] + row[length - 1];

		if (sum < lowest) {
			lowest = sum;
			best = length;
		}
	}
	f->length[end] = best;
	f->least[f->n - end] = lowest + penalty;
}

static void trace(const struct changepoint_fit *f, struct segments *out)
{
	size_t n = 0;

	for (size_t end = f->n; end > 0; end -= f->length[end])
		n++;
	out->n = n;
	out->starts[n] = f->n;
	for (size_t end = f->n; end > 0; end -= f->length[end])
		out->starts[--n] = end - f->length[end];
}

static void join(struct changepoint_fit *f, struct segments *s, size_t at)
{
	size_t after = s->n - at - 2; /* segments after the joined pair */

	f->alone[at] = f->joined[at];
	memmove(s->starts + at + 1, s->starts + at + 2, (after + 1) * sizeof *s->starts);
	memmove(f->alone + at + 1, f->alone + at + 2, after * sizeof *f->alone);
	memmove(f->joined + at, f->joined + at + 1, (after + 1) * sizeof *f->joined);
	s->n--;
	if (at + 1 < s->n)
		f->joined[at] = span_cost(f, s->starts[at], s->starts[at + 2]);
	if (at > 0)
		f->joined[at - 1] = span_cost(f, s->starts[at - 1], s->starts[at + 1]);
}

static void join_all(struct changepoint_fit *f, double penalty, struct segments *s)
{
	for (size_t i = 0; i < s->n; i++)
		f->alone[i] = span_cost(f, s->starts[i], s->starts[i + 1]);
	for (size_t i = 0; i + 1 < s->n; i++)
		f->joined[i] = span_cost(f, s->starts[i], s->starts[i + 2]);
	while (s->n > 1) {
		size_t at = 0;
		double least = INFINITY;

		for (size_t i = 0; i + 1 < s->n; i++) {
			double rise = f->joined[i] - f->alone[i] - f->alone[i + 1];

			if (rise < least) {
				least = rise;
				at = i;
			}
		}
		if (least > penalty)
			break;
		join(f, s, at);
	}
}

void changepoint_fit_run(struct changepoint_fit *f, double penalty, struct segments *out)
{
	f->least[f->n] = 0;
	for (size_t end = 1; end <= f->n; end++)
		extend(f, end, penalty);
	trace(f, out);
	/* A level longer than the table reaches comes in pieces. */
	if (f->reach < f->n)
		join_all(f, penalty, out);
}
