#include "reports/results/run_effects.h"

#include <math.h>
#include <stdlib.h>

#include "reports/results/importance.h"
#include "reports/results/run_table.h"

enum { MAX_PAIRED = 8 /* parameters that matter most: 28 pairs are enough to choose from */ };

/* The timed trials of one implementation, parameter by parameter. */
struct columns {
	double *log_times;
	uint16_t *picks; /* parameter * n + trial */
	size_t n;
	const struct run_implementation *of;
};

static enum asc_status columns_init(struct columns *c, const struct run_table *t,
				    size_t implementation, struct asc_err *e)
{
	const struct run_implementation *i = &t->implementations[implementation];
	size_t at = 0;

	*c = (struct columns){calloc(i->ok + 1, sizeof *c->log_times),
			      calloc(i->ok * i->n_parameters + 1, sizeof *c->picks), i->ok, i};
	if (!c->log_times || !c->picks)
		return asc_err_nomem(e);
	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];

		if (x->implementation != implementation || !run_trial_is_timed(x))
			continue;
		for (size_t p = 0; p < i->n_parameters; p++)
			c->picks[p * c->n + at] = x->picks[p];
		c->log_times[at++] = log(x->median_ns); /* factors add up then */
	}
	return ASC_OK;
}

static struct importance_factor factor(const struct columns *c, size_t parameter)
{
	return (struct importance_factor){c->picks + parameter * c->n,
					  c->of->parameters[parameter].n_values};
}

static int descending(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct run_pair_effect *x = a, *y = b;
	const int order = descending(x->joint, y->joint);

	if (order)
		return order;
	if (x->first != y->first)
		return x->first > y->first ? 1 : -1;
	return (x->second > y->second) - (x->second < y->second);
}

static enum asc_status find_singles(const struct columns *c, struct run_effects *out,
				    struct asc_err *e)
{
	const size_t n = c->of->n_parameters;
	struct importance_factor *factors = calloc(n + 1, sizeof *factors);
	size_t *parameters = calloc(n + 1, sizeof *parameters);
	struct importance *found = calloc(n + 1, sizeof *found);
	enum asc_status status = ASC_OK;

	out->singles = calloc(n + 1, sizeof *out->singles);
	if (!factors || !parameters || !found || !out->singles)
		status = asc_err_nomem(e);
	for (size_t p = 0; p < n && status == ASC_OK; p++)
		if (factor(c, p).n_values > 1) { /* one value explains nothing */
			parameters[out->n_singles] = p;
			factors[out->n_singles++] = factor(c, p);
		}
	if (status == ASC_OK)
		status = importance_find(c->log_times, c->n, factors, out->n_singles, found, e);
	for (size_t k = 0; k < out->n_singles && status == ASC_OK; k++)
		out->singles[k] = (struct run_effect){parameters[found[k].factor], found[k].share};
	free(factors);
	free(parameters);
	free(found);
	return status;
}

/* Adds a pair of parameters unless it has too many pairs of values. */
static enum asc_status add_pair(const struct columns *c, const struct run_effect *a,
				const struct run_effect *b, struct run_effects *out,
				struct asc_err *e)
{
	if (a->parameter > b->parameter) /* in the order of the file: the lesser goes across */
		return add_pair(c, b, a, out, e);
	const struct importance_factor pair[2] = {factor(c, a->parameter), factor(c, b->parameter)};
	struct importance_of_pair found;
	const enum asc_status status = importance_pair(c->log_times, c->n, pair, &found, e);

	if (status == ASC_OK)
		out->pairs[out->n_pairs++] = (struct run_pair_effect){a->parameter, b->parameter,
								      found.joint, found.extra};
	return status == ASC_LIMIT ? ASC_OK : status;
}

static enum asc_status find_pairs(const struct columns *c, struct run_effects *out,
				  struct asc_err *e)
{
	const size_t n = out->n_singles < MAX_PAIRED ? out->n_singles : MAX_PAIRED;

	out->pairs = calloc(n * n + 1, sizeof *out->pairs);
	if (!out->pairs)
		return asc_err_nomem(e);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			if (add_pair(c, &out->singles[a], &out->singles[b], out, e))
				return e->status;
	qsort(out->pairs, out->n_pairs, sizeof *out->pairs, compare_pairs);
	return ASC_OK;
}

enum asc_status run_effects_find(const struct run_table *t, size_t implementation,
				 struct run_effects *out, struct asc_err *e)
{
	struct columns c;

	*out = (struct run_effects){0};
	enum asc_status status = columns_init(&c, t, implementation, e);
	out->n = c.n;
	if (status == ASC_OK)
		status = find_singles(&c, out, e);
	if (status == ASC_OK)
		status = find_pairs(&c, out, e);
	free(c.log_times);
	free(c.picks);
	if (status != ASC_OK)
		run_effects_fini(out);
	return status;
}

void run_effects_fini(struct run_effects *f)
{
	free(f->singles);
	free(f->pairs);
	*f = (struct run_effects){0};
}

void run_effects_fill_cells(const struct run_table *t, const double *times, size_t implementation,
			    size_t first, size_t second, double *cells, size_t *tried)
{
	const struct run_parameter *p = t->implementations[implementation].parameters;
	const size_t columns = p[first].n_values, all = columns * p[second].n_values;

	for (size_t k = 0; k < all; k++) {
		cells[k] = NAN;
		tried[k] = 0;
	}
	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];
		if (x->implementation != implementation || x->picks[first] == RUN_NO_VALUE ||
		    x->picks[second] == RUN_NO_VALUE)
			continue;
		const size_t cell = x->picks[second] * columns + x->picks[first];

		tried[cell]++;
		/* A comparison with NaN is false: the first time of a cell is taken, too. */
		if (!isnan(times[k]) && !(cells[cell] <= times[k]))
			cells[cell] = times[k];
	}
}
