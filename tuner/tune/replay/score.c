#include "tuner/tune/replay/score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reports/exchange/formats/recorded.h"
#include "tuner/base/array.h"
#include "tuner/base/stats/stats.h"

/* Ends of the axis, in parts of the way from the median to the optimum that random search has gone
 * there; part of its end that a run may take. They are those of the published score (score.h). */
static const double CUTOFF = 0.95, START = 0.01, BUDGET = 1.1, NS_PER_S = 1e9;
static const double LEAST_MEDIAN = 0.1; /* of evaluation times, as a part of their mean */
static const double ROUNDING = 1e-9;    /* part of the optimum by which smoothing may miss it */

/* ---- monotone cubic interpolation ---- */

/* Slope at an inner point: a weighted harmonic mean of those beside it, or 0 at an extremum. */
static double inner_slope(double h0, double h1, double m0, double m1)
{
	const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;

	return m0 * m1 > 0 ? (w0 + w1) / (w0 / m0 + w1 / m1) : 0;
}

/* Slope at an end: of the parabola through three points, kept monotone. h0 and m0 are next to it.
 */
static double end_slope(double h0, double h1, double m0, double m1)
{
	const double d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);

	if (d * m0 <= 0)
		return 0;
	return m0 * m1 <= 0 && fabs(d) > 3 * fabs(m0) ? 3 * m0 : d;
}

static void find_slopes(const double *x, const double *y, size_t n, double *slopes)
{
	double h0 = x[1] - x[0], m0 = (y[1] - y[0]) / h0;

	slopes[0] = slopes[n - 1] = m0;
	for (size_t i = 1; i + 1 < n; i++) {
		const double h1 = x[i + 1] - x[i], m1 = (y[i + 1] - y[i]) / h1;

		slopes[i] = inner_slope(h0, h1, m0, m1);
		if (i == 1)
			slopes[0] = end_slope(h0, h1, m0, m1);
		if (i + 2 == n)
			slopes[n - 1] = end_slope(h1, h0, m1, m0);
		h0 = h1;
		m0 = m1;
	}
}

/* Monotone cubic interpolation through n >= 2 points with ascending x (Fritsch and Butland, "A
 * method for constructing local monotone piecewise cubic interpolants", 1984): out[i] is the curve
 * at `at[i]`, ascending, within x[0] .. x[n - 1]. */
static enum asc_status interpolate(const double *x, const double *y, size_t n, const double *at,
				   size_t m, double *out, struct asc_err *e)
{
	double *slopes = malloc(n * sizeof *slopes);
	size_t k = 0;

	if (!slopes)
		return asc_err_nomem(e);
	find_slopes(x, y, n, slopes);
	for (size_t i = 0; i < m; i++) {
		while (k + 2 < n && at[i] >= x[k + 1])
			k++;
		const double h = x[k + 1] - x[k], t = (at[i] - x[k]) / h, u = 1 - t;

		out[i] = u * u * ((1 + 2 * t) * y[k] + t * h * slopes[k]) +
			 t * t * ((1 + 2 * u) * y[k + 1] - u * h * slopes[k + 1]);
	}
	free(slopes);
	return ASC_OK;
}

/* ---- isotonic regression ---- */

struct curve_point {
	double x, y;
};

static int compare_points(const void *a, const void *b)
{
	const struct curve_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Points of one level: their number, mean y, and first and last x. */
struct block {
	size_t n;
	double y, first, last;
};

/* Joins blocks while a later one is higher, which the curve may not be. */
static void join_higher(struct block *blocks, size_t *n)
{
	while (*n > 1 && blocks[*n - 1].y >= blocks[*n - 2].y) {
		struct block *a = &blocks[*n - 2];
		const struct block *b = a + 1;

		a->y = (a->y * (double)a->n + b->y * (double)b->n) / (double)(a->n + b->n);
		a->n += b->n;
		a->last = b->last;
		--*n;
	}
}

/* Pools adjacent violators: returns the number of blocks. Points of one x are one block from the
 * start. */
static size_t pool(const struct curve_point *points, size_t n, struct block *blocks)
{
	size_t n_blocks = 0;

	for (size_t i = 0; i < n;) {
		struct block b = {0, 0, points[i].x, points[i].x};

		for (; i < n && points[i].x == b.first; i++, b.n++)
			b.y += (points[i].y - b.y) / (double)(b.n + 1);
		blocks[n_blocks++] = b;
		join_higher(blocks, &n_blocks);
	}
	return n_blocks;
}

/* Isotonic regression: the curve that never rises and is nearest to the points in least squares,
 * linear between them and constant beyond. out[i] is the curve at `at[i]`, ascending. The points,
 * at least one, are sorted. */
static enum asc_status fit_falling(struct curve_point *points, size_t n, const double *at, size_t m,
				   double *out, struct asc_err *e)
{
	struct block *blocks = malloc(n * sizeof *blocks);
	size_t k = 0;

	if (!blocks)
		return asc_err_nomem(e);
	qsort(points, n, sizeof *points, compare_points);
	const size_t n_blocks = pool(points, n, blocks);

	for (size_t i = 0; i < m; i++) {
		while (k + 1 < n_blocks && at[i] >= blocks[k + 1].first)
			k++;
		const struct block *b = &blocks[k], *next = b + 1;

		out[i] = b->y;
		if (k + 1 < n_blocks && at[i] > b->last)
			out[i] += (next->y - b->y) * (at[i] - b->last) / (next->first - b->last);
	}
	free(blocks);
	return ASC_OK;
}

/* Time of the kernel number `i` from the worst. */
static double from_worst(const struct recorded *r, size_t i)
{
	return r->sorted_ns[r->n_valid - 1 - i];
}

/* Time of a kernel that is `part` of the way from the median to the optimum. */
static double near_ns(const struct score_space *s, double part)
{
	return s->optimum_ns + (s->median_ns - s->optimum_ns) * (1 - part);
}

/* Evaluations that random search takes to the time of a kernel `part` of the way from the median to
 * the optimum. 0: it is there at once. */
static uint64_t evals_to(const struct score_space *s, double part)
{
	const struct recorded *r = s->recorded;
	const double wanted_ns = near_ns(s, part);
	size_t i = 0;

	while (from_worst(r, i) > wanted_ns)
		i++;
	if (i > 0 && from_worst(r, i) == s->optimum_ns)
		i--;
	return (uint64_t)ceil((double)i / (double)(r->n_valid + 1 - i));
}

/* Sets the mean time of an evaluation, and finds the usual time, the median, in seconds. If most
 * evaluations took next to nothing (equal artifacts), the mean is the usual time. */
static enum asc_status find_eval_time(struct score_space *s, double *usual_s, struct asc_err *e)
{
	const struct recorded *r = s->recorded;
	double *spent_ns = malloc(r->n * sizeof *spent_ns);
	double sum_ns[2] = {0}; /* of failed evaluations, of passed ones */

	if (!spent_ns)
		return asc_err_nomem(e);
	for (size_t i = 0; i < r->n; i++) {
		spent_ns[i] = r->spent_ns[i];
		sum_ns[!isnan(r->time_ns[i])] += r->spent_ns[i];
	}
	*usual_s = stats_select_median(spent_ns, r->n) / NS_PER_S;
	free(spent_ns);
	/* The mean of failed ones, times their part of all, is their sum over all. */
	s->eval_s = (sum_ns[1] / (double)r->n_valid + sum_ns[0] / (double)r->n) / NS_PER_S;
	*usual_s = *usual_s < LEAST_MEDIAN * s->eval_s ? s->eval_s : *usual_s;
	return ASC_OK;
}

/* Time at a point of the axis. */
static double point_s(const struct score_space *s, size_t i)
{
	return s->start_s + (s->end_s - s->start_s) * (double)i / (SCORE_POINTS - 1);
}

/* Time of the kernel that random search without replacement is expected at after `evals`. */
static double expected_ns(const struct recorded *r, double evals)
{
	const double n = (double)r->n_valid;
	const double i = nearbyint(evals * (n + 1) / (evals + 1));

	return from_worst(r, i < n - 1 ? (size_t)i : r->n_valid - 1);
}

/* Finds random search's curve. Its steps are smoothed: through the first point of each number of
 * evaluations, read at numbers that are equally far from each other. */
static enum asc_status find_baseline(struct score_space *s, struct asc_err *e)
{
	double x[SCORE_POINTS], y[SCORE_POINTS], at[SCORE_POINTS];
	size_t n = 0;

	for (size_t i = 0; i < SCORE_POINTS; i++) {
		const double evals = nearbyint(fmax(point_s(s, i) / s->eval_s, 1));

		s->baseline_ns[i] = expected_ns(s->recorded, evals);
		if (n > 0 && evals == x[n - 1])
			continue;
		x[n] = evals;
		y[n++] = s->baseline_ns[i];
	}
	if (n < 2) /* one number of evaluations: a level, which needs no smoothing */
		return ASC_OK;
	for (size_t i = 0; i < SCORE_POINTS; i++)
		at[i] = x[0] + (x[n - 1] - x[0]) * (double)i / (SCORE_POINTS - 1);
	return interpolate(x, y, n, at, SCORE_POINTS, s->baseline_ns, e);
}

enum asc_status score_space_init(struct score_space *s, const struct recorded *r, struct asc_err *e)
{
	const double *t = r->sorted_ns;
	const size_t n = r->n_valid;
	double usual_s = 0;

	*s = (struct score_space){
		.recorded = r, .optimum_ns = t[0], .median_ns = (t[(n - 1) / 2] + t[n / 2]) / 2};
	if (t[0] == t[n - 1])
		return asc_err_set(e, ASC_INPUT,
				   "every configuration that passed has the same time: there is "
				   "nothing to search");
	s->cutoff_ns = near_ns(s, CUTOFF);
	s->start_evals = evals_to(s, START);
	s->end_evals = evals_to(s, CUTOFF);
	/* The ends are at least two evaluations apart: an axis of none has no curve. */
	if (s->end_evals - s->start_evals < 2) {
		s->end_evals += s->start_evals == 0 ? 2 : 1;
		s->start_evals -= s->start_evals > 0;
	}
	if (find_eval_time(s, &usual_s, e))
		return e->status;
	s->start_s = (double)s->start_evals * usual_s;
	s->end_s = (double)s->end_evals * usual_s;
	s->budget_s = BUDGET * s->end_s;
	return find_baseline(s, e);
}

uint32_t score_rank(const struct score_space *s, double time_ns)
{
	const double *t = s->recorded->sorted_ns;
	size_t low = 0, high = s->recorded->n_valid;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (t[middle] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* ---- runs ---- */

/* Part of the axis beyond either end from which evaluations count for the regression, too. */
static double margin(const struct score_run *runs, size_t n)
{
	size_t most = 0, first = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < runs[i].n && runs[i].best[k] == SCORE_NO_RANK)
			k++;
		first = k < first ? k : first;
		most = runs[i].n > most ? runs[i].n : most;
	}
	return 0.1 + 0.25 / (most > first ? (double)(most - first) : 1);
}

struct points {
	struct curve_point *list;
	size_t n, room;
	double from_s, until_s; /* others are left out */
};

static bool add_point(struct points *p, double end_s, uint32_t rank)
{
	if (end_s < p->from_s || end_s > p->until_s)
		return true;
	if (!array_room(&p->list, p->n, &p->room, sizeof *p->list))
		return false;
	p->list[p->n++] = (struct curve_point){end_s, rank};
	return true;
}

/* Adds the evaluations of a run since the first that passed; of one without any, all as the worst.
 * A run that ends before the budget goes on with what it has, at the mean pace. */
static bool add_run(const struct score_space *s, const struct score_run *run, struct points *p)
{
	const uint32_t worst = (uint32_t)s->recorded->n_valid - 1;
	const uint32_t last = run->n ? run->best[run->n - 1] : SCORE_NO_RANK;
	double end_s = 0;

	for (size_t i = 0; i < run->n; i++) {
		const uint32_t rank = last == SCORE_NO_RANK ? worst : run->best[i];

		end_s = run->end_s[i];
		if (rank != SCORE_NO_RANK && !add_point(p, end_s, rank))
			return false;
	}
	/* A strategy that ends early keeps its best until the budget ends, and is scored so. */
	while ((end_s += s->eval_s) < s->budget_s)
		if (!add_point(p, end_s, last == SCORE_NO_RANK ? worst : last))
			return false;
	return true;
}

/* Sets the curve and the score from the mean ranks. */
static void settle(const struct score_space *s, const double *ranks, struct score *out)
{
	const struct recorded *r = s->recorded;
	size_t n = 0;

	out->mean = 0;
	for (size_t i = 0; i < SCORE_POINTS; i++) {
		const double rank = fmin(fmax(nearbyint(ranks[i]), 0), (double)r->n_valid - 1);
		const double ahead_ns = s->baseline_ns[i] - s->optimum_ns;
		const bool behind = ahead_ns > ROUNDING * s->optimum_ns;

		out->curve_ns[i] = r->sorted_ns[(size_t)rank];
		out->at[i] = behind ? (s->baseline_ns[i] - out->curve_ns[i]) / ahead_ns : NAN;
		if (behind)
			out->mean += (out->at[i] - out->mean) / (double)++n;
	}
}

enum asc_status score_runs(const struct score_space *s, const struct score_run *runs, size_t n,
			   struct score *out, struct asc_err *e)
{
	const double beyond = margin(runs, n);
	struct points p = {.from_s = s->start_s * (1 - beyond), .until_s = s->end_s * (1 + beyond)};
	double at[SCORE_POINTS], ranks[SCORE_POINTS];
	bool enough = true;

	for (size_t i = 0; enough && i < n; i++)
		enough = add_run(s, &runs[i], &p);
	/* Every evaluation may take longer than the axis. */
	if (enough && p.n == 0)
		enough = add_point(&p, s->end_s, (uint32_t)s->recorded->n_valid - 1);
	enum asc_status status = enough ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < SCORE_POINTS; i++)
		at[i] = point_s(s, i);
	if (!status)
		status = fit_falling(p.list, p.n, at, SCORE_POINTS, ranks, e);
	if (!status)
		settle(s, ranks, out);
	free(p.list);
	return status;
}
