#include "reports/results/run_slices.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reports/results/run_finals.h"
#include "reports/results/run_table.h"

/* A slice tells if trials in random order would look so in less than one of twenty cases. */
static const double SIGNIFICANT = 0.05;

/* Picks of an implementation, with times. */
struct sample {
	const struct run_table *table;
	const double *times; /* of those that passed */
	size_t implementation;
};

/* The value of trial `k`; RUN_NO_VALUE: it has none, or is another implementation's. */
static size_t pick_of(const struct sample *of, size_t k, size_t parameter)
{
	const struct run_trial *x = &of->table->trials[k];

	return x->implementation == of->implementation ? x->picks[parameter] : RUN_NO_VALUE;
}

/* The time of trial `k`, of one that was dropped too; NaN: none. */
static double any_time(const struct sample *of, size_t k)
{
	const struct run_trial *x = &of->table->trials[k];
	const bool dropped = x->status == RESULT_SLOW || x->status == RESULT_UNDECIDED;

	if (!isnan(of->times[k]))
		return of->times[k];
	return dropped && x->median_ns > 0 ? x->median_ns : NAN;
}

static void fill(const struct sample *of, struct run_slice *s, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		s->best_ns[i] = NAN;
	for (size_t k = 0; k < of->table->n; k++) {
		const size_t pick = pick_of(of, k, s->parameter);

		if (pick == RUN_NO_VALUE)
			continue;
		s->tried[pick]++;
		s->timed[pick] += !isnan(any_time(of, k));
		if (!isnan(of->times[k]) && !(s->best_ns[pick] <= of->times[k]))
			s->best_ns[pick] = of->times[k];
	}
}

/* Finds the fastest of all values, whose index it returns, and what the best of the others costs.
 */
static size_t find_cost(const struct sample *of, struct run_slice *s, size_t n_values)
{
	double other = INFINITY;
	size_t fastest = n_values;

	for (size_t i = 0; i < n_values; i++)
		if (!isnan(s->best_ns[i]) &&
		    (fastest == n_values || s->best_ns[i] < s->best_ns[fastest]))
			fastest = i;
	for (size_t k = 0; k < of->table->n; k++) {
		const size_t pick = pick_of(of, k, s->parameter);

		if (pick == RUN_NO_VALUE || pick == fastest || !(of->times[k] < other))
			continue;
		other = of->times[k];
		s->next = &of->table->trials[k];
	}
	/* Infinite where only one value passed: all others cost everything. */
	s->fastest_ns = fastest < n_values ? s->best_ns[fastest] : NAN;
	s->cost_pct = 100 * (other / s->fastest_ns - 1);
	return fastest;
}

/* Chance that the first `k` of `n` in random order are all of the same `own`. */
static double chance(size_t k, size_t own, size_t n)
{
	double p = 1;

	for (size_t i = 0; i < k; i++)
		p *= (double)(own - i) / (double)(n - i);
	return p;
}

static enum run_slice_verdict judge(const struct sample *of, const struct run_slice *s,
				    size_t fastest, size_t n_values)
{
	size_t n = 0, leading = 0;
	double others = INFINITY;

	for (size_t i = 0; i < n_values; i++)
		n += s->timed[i];
	for (size_t k = 0; k < of->table->n; k++) {
		const size_t pick = pick_of(of, k, s->parameter);

		if (pick != RUN_NO_VALUE && pick != fastest)
			others = fmin(others, any_time(of, k));
	}
	/* Trials with the fastest value that are ahead of all others, dropped ones among both: what
	 * was dropped is known to be behind what it raced with. */
	for (size_t k = 0; k < of->table->n; k++)
		leading += pick_of(of, k, s->parameter) == fastest && any_time(of, k) < others;
	/* Had all trials with the fastest value come first by chance alone, nothing could be told.
	 */
	if (fastest == n_values || chance(s->timed[fastest], s->timed[fastest], n) > SIGNIFICANT)
		return SLICE_TOO_FEW;
	return chance(leading, s->timed[fastest], n) > SIGNIFICANT ? SLICE_UNDECIDED : SLICE_TELLS;
}

/* Takes the blame from parameters whose next best values are in one configuration. */
static void find_together(struct run_slices *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n; k++)
			if (k != i && s->list[i].next && s->list[i].next == s->list[k].next &&
			    s->list[i].verdict != SLICE_TOO_FEW)
				s->list[i].verdict = SLICE_TOGETHER;
}

static int compare(const void *a, const void *b)
{
	const struct run_slice *x = a, *y = b;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (x->cost_pct > y->cost_pct || x->cost_pct < y->cost_pct)
		return x->cost_pct > y->cost_pct ? -1 : 1;
	return (x->parameter > y->parameter) - (x->parameter < y->parameter);
}

static enum asc_status add(const struct sample *of, size_t parameter, struct run_slices *out,
			   struct asc_err *e)
{
	const size_t n =
		of->table->implementations[of->implementation].parameters[parameter].n_values;
	struct run_slice *s = &out->list[out->n++];

	*s = (struct run_slice){.parameter = parameter,
				.best_ns = calloc(n, sizeof *s->best_ns),
				.tried = calloc(n, sizeof *s->tried),
				.timed = calloc(n, sizeof *s->timed)};
	if (!s->best_ns || !s->tried || !s->timed)
		return asc_err_nomem(e);
	fill(of, s, n);
	s->verdict = judge(of, s, find_cost(of, s, n), n);
	return ASC_OK;
}

enum asc_status run_slices_find(const struct run_table *t, const struct run_finals *finals,
				size_t implementation, struct run_slices *out, struct asc_err *e)
{
	const struct run_implementation *from = &t->implementations[implementation];
	double *times = run_finals_take_times(finals, t);
	const struct sample of = {t, times, implementation};
	enum asc_status status = times ? ASC_OK : asc_err_nomem(e);

	*out = (struct run_slices){calloc(from->n_parameters + 1, sizeof *out->list), 0};
	if (!out->list)
		status = asc_err_nomem(e);
	for (size_t p = 0; p < from->n_parameters && from->ok > 0 && status == ASC_OK; p++)
		if (from->parameters[p].n_values > 1)
			status = add(&of, p, out, e);
	free(times);
	if (status != ASC_OK) {
		run_slices_fini(out);
		return status;
	}
	find_together(out); /* before sorting, since verdicts are its first key */
	qsort(out->list, out->n, sizeof *out->list, compare);
	return ASC_OK;
}

void run_slices_fini(struct run_slices *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].best_ns);
		free(s->list[i].tried);
		free(s->list[i].timed);
	}
	free(s->list);
	*s = (struct run_slices){0};
}
