#include "reports/results/run_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/run_table.h"

/* ---- what both tried ---- */

struct keyed {
	const char *implementation;
	const struct run_trial *trial;
};

static int compare_keys(const struct keyed *x, const struct keyed *y)
{
	const int order = strcmp(x->implementation, y->implementation);

	return order ? order : strcmp(x->trial->config_key, y->trial->config_key);
}

/* Order by key; of equal keys the last trial comes first. */
static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	const int order = compare_keys(x, y);

	return order ? order : (x->trial->id < y->trial->id) - (x->trial->id > y->trial->id);
}

/* Lists the timed trials by their keys, each key once; NULL when out of memory. */
static struct keyed *list_keyed(const struct run_table *t, size_t *n)
{
	struct keyed *list = calloc(t->n + 1, sizeof *list);
	size_t all = 0;

	if (!list)
		return NULL;
	for (size_t k = 0; k < t->n; k++)
		if (run_trial_is_timed(&t->trials[k]))
			list[all++] =
				(struct keyed){t->implementations[t->trials[k].implementation].name,
					       &t->trials[k]};
	qsort(list, all, sizeof *list, compare_keyed);
	*n = 0;
	for (size_t k = 0; k < all; k++)
		if (*n == 0 || compare_keys(&list[*n - 1], &list[k]) != 0)
			list[(*n)++] = list[k];
	return list;
}

static void join(const struct keyed *a, size_t na, const struct keyed *b, size_t nb,
		 struct run_comparison *out)
{
	size_t i = 0, j = 0;

	while (i < na && j < nb) { /* both are in the same order: a merge */
		const int order = compare_keys(&a[i], &b[j]);

		if (order == 0)
			out->list[out->n++] = (struct run_common){a[i].trial, b[j].trial};
		i += order <= 0;
		j += order >= 0;
	}
}

static enum asc_status find_common(const struct run_table *before, const struct run_table *after,
				   struct run_comparison *out, struct asc_err *e)
{
	size_t na = 0, nb = 0;
	struct keyed *a = list_keyed(before, &na), *b = list_keyed(after, &nb);

	out->list = calloc((na < nb ? na : nb) + 1, sizeof *out->list);
	const bool complete = a && b && out->list;

	if (complete)
		join(a, na, b, nb, out);
	free(a);
	free(b);
	return complete ? ASC_OK : asc_err_nomem(e);
}

/* ---- figures ---- */

struct ranked {
	double value, rank;
	size_t place;
};

static int compare_values(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int compare_places(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static void give_ranks(struct ranked *list, size_t n)
{
	qsort(list, n, sizeof *list, compare_values);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && list[end].value <= list[first].value; end++)
			;
		/* Equal values share the mean of their ranks, as Spearman's correlation asks. */
		for (size_t k = first; k < end; k++)
			list[k].rank = (double)(first + end - 1) / 2;
	}
	qsort(list, n, sizeof *list, compare_places);
}

static double correlate(const struct ranked *x, const struct ranked *y, size_t n)
{
	const double mean = (double)(n - 1) / 2;
	double xy = 0, xx = 0, yy = 0;

	for (size_t k = 0; k < n; k++) {
		const double a = x[k].rank - mean, b = y[k].rank - mean;

		xy += a * b;
		xx += a * a;
		yy += b * b;
	}
	/* Without any spread there is no order to agree with. */
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static double time_of(const struct run_trial *t)
{
	return t ? t->median_ns : NAN;
}

static void fill_figures(struct run_comparison *c, struct ranked *ranks, double *ratios)
{
	for (size_t k = 0; k < c->n; k++) {
		const double before = time_of(c->list[k].before), after = time_of(c->list[k].after);

		ratios[k] = after / before;
		ranks[k] = (struct ranked){before, 0, k};
		ranks[c->n + k] = (struct ranked){after, 0, k};
	}
	c->ratio = stats_median(ratios, c->n, &c->interval);
	give_ranks(ranks, c->n);
	give_ranks(ranks + c->n, c->n);
	/* Two points are always in order or in the other one. */
	c->rank_correlation = c->n < 3 ? NAN : correlate(ranks, ranks + c->n, c->n);
}

static enum asc_status find_figures(struct run_comparison *c, struct asc_err *e)
{
	struct ranked *ranks = calloc(2 * c->n, sizeof *ranks);
	double *ratios = calloc(c->n, sizeof *ratios);
	const bool complete = ranks && ratios;

	if (complete)
		fill_figures(c, ranks, ratios);
	free(ranks);
	free(ratios);
	return complete ? ASC_OK : asc_err_nomem(e);
}

enum asc_status run_compare(const struct run_table *before, const struct run_table *after,
			    struct run_comparison *out, struct asc_err *e)
{
	*out = (struct run_comparison){.ratio = NAN, .rank_correlation = NAN};
	enum asc_status status = find_common(before, after, out, e);

	if (status == ASC_OK && out->n)
		status = find_figures(out, e);
	if (status != ASC_OK)
		run_comparison_fini(out);
	return status;
}

void run_comparison_fini(struct run_comparison *c)
{
	free(c->list);
	*c = (struct run_comparison){0};
}

/* ---- two configurations ---- */

static const char *value_of(const struct run_table *t, const struct run_trial *x, size_t p)
{
	const struct run_parameter *list = t->implementations[x->implementation].parameters;

	return x->picks[p] == RUN_NO_VALUE ? NULL : list[p].values[x->picks[p]];
}

static const char *find_value(const struct run_table *t, const struct run_trial *x,
			      const char *name)
{
	const struct run_implementation *i = &t->implementations[x->implementation];

	for (size_t p = 0; p < i->n_parameters; p++)
		if (strcmp(i->parameters[p].name, name) == 0)
			return value_of(t, x, p);
	return NULL;
}

static bool differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a || b;
}

size_t run_differences(const struct run_table *before, const struct run_trial *a,
		       const struct run_table *after, const struct run_trial *b,
		       struct run_difference *out, size_t most)
{
	const struct run_implementation *old = &before->implementations[a->implementation];
	const struct run_implementation *new = &after->implementations[b->implementation];
	size_t n = 0;

	for (size_t p = 0; p < new->n_parameters &&n < most; p++) {
		const char *name = new->parameters[p].name;
		const char *was = find_value(before, a, name), *is = value_of(after, b, p);

		if (differ(was, is))
			out[n++] = (struct run_difference){name, was, is};
	}
	/* Parameters that the newer content no longer has come last. */
	for (size_t p = 0; p < old->n_parameters && n < most; p++) {
		const char *name = old->parameters[p].name, *was = value_of(before, a, p);
		bool known = false;

		for (size_t k = 0; k < new->n_parameters; k++)
			known |= strcmp(new->parameters[k].name, name) == 0;
		if (!known && was)
			out[n++] = (struct run_difference){name, was, NULL};
	}
	return n;
}
