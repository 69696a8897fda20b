#include "reports/runs/run_slices.h"

#include <math.h>
#include <stdlib.h>

#include "reports/runs/run_finals.h"
#include "reports/runs/run_table.h"

static void fill(const struct run_table *t, const double *times, size_t implementation,
		 struct run_slice *s, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		s->best_ns[i] = NAN;
	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];

		if (x->implementation != implementation || x->picks[s->parameter] == RUN_NO_VALUE)
			continue;
		double *best = &s->best_ns[x->picks[s->parameter]];

		s->tried[x->picks[s->parameter]]++;
		if (!isnan(times[k]) && !(*best <= times[k]))
			*best = times[k];
	}
}

/* Finds the fastest of all values, and what the best of the others costs. */
static void find_cost(struct run_slice *s, size_t n_values)
{
	double fastest = INFINITY, other = INFINITY;

	for (size_t i = 0; i < n_values; i++) {
		const double ns = isnan(s->best_ns[i]) ? INFINITY : s->best_ns[i];

		other = fmin(other, fmax(ns, fastest));
		fastest = fmin(fastest, ns);
	}
	s->fastest_ns = fastest;
	s->cost_pct = 100 * (other / fastest - 1);
}

static int compare(const void *a, const void *b)
{
	const struct run_slice *x = a, *y = b;

	if (x->cost_pct > y->cost_pct || x->cost_pct < y->cost_pct)
		return x->cost_pct > y->cost_pct ? -1 : 1;
	return (x->parameter > y->parameter) - (x->parameter < y->parameter);
}

static enum asc_status add(const struct run_table *t, const double *times, size_t implementation,
			   size_t parameter, struct run_slices *out, struct asc_err *e)
{
	const size_t n = t->implementations[implementation].parameters[parameter].n_values;
	struct run_slice *s = &out->list[out->n++];

	*s = (struct run_slice){.parameter = parameter,
				.best_ns = calloc(n, sizeof *s->best_ns),
				.tried = calloc(n, sizeof *s->tried)};
	if (!s->best_ns || !s->tried)
		return asc_err_nomem(e);
	fill(t, times, implementation, s, n);
	find_cost(s, n);
	return ASC_OK;
}

enum asc_status run_slices_find(const struct run_table *t, const struct run_finals *finals,
				size_t implementation, struct run_slices *out, struct asc_err *e)
{
	const struct run_implementation *of = &t->implementations[implementation];
	double *times = run_finals_take_times(finals, t);
	enum asc_status status = times ? ASC_OK : asc_err_nomem(e);

	*out = (struct run_slices){calloc(of->n_parameters + 1, sizeof *out->list), 0};
	if (!out->list)
		status = asc_err_nomem(e);
	for (size_t p = 0; p < of->n_parameters && of->ok > 0 && status == ASC_OK; p++)
		if (of->parameters[p].n_values > 1)
			status = add(t, times, implementation, p, out, e);
	free(times);
	if (status != ASC_OK)
		run_slices_fini(out);
	else
		qsort(out->list, out->n, sizeof *out->list, compare);
	return status;
}

void run_slices_fini(struct run_slices *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].best_ns);
		free(s->list[i].tried);
	}
	free(s->list);
	*s = (struct run_slices){0};
}
