#include "reports/results/importance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The share of a parameter is found as in an analysis of variance, of the logarithms of times, so
 * that a factor of 2 weighs the same wherever it stands. The factor that explains most of the rest
 * is taken out first, then the next of what is left: configurations are not balanced, since a
 * search prefers fast ones, and factors that go together would share what one of them explains. The
 * variance within groups is noise; as much of it as groups of any kind would show is taken off each
 * share. */

enum {
	MAX_CELLS = 1 << 24, /* 256 MB of groups */
	PER_VALUE = 2 /* configurations for each value beyond the first: fewer fit anything */
};

struct group {
	double sum;
	size_t n;
};

/* A grouping by one factor, or by the pairs of two. */
struct grouping {
	const struct importance_factor *factors;
	size_t n_factors;
};

/* Squares between the groups of a grouping, and how many of them have members. */
struct between {
	double squares;
	size_t groups;
};

/* The variance that the groupings so far leave. */
struct rest {
	double *residuals;
	size_t n;
	struct group *groups;  /* room for those of any grouping */
	double total, squares; /* at first; now */
	size_t taken;          /* degrees of freedom */
};

/* Index of a value; a missing one comes after the others. */
static size_t group_of(const struct importance_factor *f, size_t i)
{
	return f->picks[i] < f->n_values ? f->picks[i] : f->n_values;
}

static size_t cell_of(const struct grouping *g, size_t i)
{
	const size_t first = group_of(&g->factors[0], i);

	return g->n_factors > 1 ? first * (g->factors[1].n_values + 1) + group_of(&g->factors[1], i)
				: first;
}

static size_t count_cells(const struct grouping *g)
{
	return (g->factors[0].n_values + 1) * (g->n_factors > 1 ? g->factors[1].n_values + 1 : 1);
}

static double sum_squares(const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += y[i] * y[i];
	return sum;
}

static enum asc_status rest_init(struct rest *r, const double *y, size_t n, size_t cells,
				 struct asc_err *e)
{
	double mean = 0;

	*r = (struct rest){.residuals = calloc(n + 1, sizeof *r->residuals),
			   .n = n,
			   .groups = calloc(cells + 1, sizeof *r->groups)};
	if (!r->residuals || !r->groups)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) /* divided first: sums of many logarithms stay small */
		mean += y[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		r->residuals[i] = y[i] - mean;
	r->total = r->squares = sum_squares(r->residuals, n);
	return ASC_OK;
}

static void rest_fini(struct rest *r)
{
	free(r->residuals);
	free(r->groups);
}

static struct between group(struct rest *r, const struct grouping *g)
{
	const size_t cells = count_cells(g);
	struct between b = {0};

	memset(r->groups, 0, cells * sizeof *r->groups);
	for (size_t i = 0; i < r->n; i++) {
		struct group *x = &r->groups[cell_of(g, i)];

		x->sum += r->residuals[i];
		x->n++;
	}
	/* Residuals have the mean 0, so the square of a group's sum says how far its mean is off.
	 */
	for (size_t k = 0; k < cells; k++)
		if (r->groups[k].n > 0) {
			b.squares += r->groups[k].sum * r->groups[k].sum / (double)r->groups[k].n;
			b.groups++;
		}
	return b;
}

/* Takes a grouping's means out. */
static void take(struct rest *r, const struct grouping *g)
{
	r->taken += group(r, g).groups - 1; /* one mean was that of all, taken at first */
	for (size_t i = 0; i < r->n; i++) {
		const struct group *x = &r->groups[cell_of(g, i)];

		r->residuals[i] -= x->sum / (double)x->n;
	}
	r->squares = sum_squares(r->residuals, r->n);
}

/* Squares between groups beyond what `within`, the mean square of noise, gives by chance. */
static double beyond_chance(struct between b, double within)
{
	return b.groups < 2 ? 0 : b.squares - (double)(b.groups - 1) * within;
}

static double within_of(const struct rest *r, double squares, size_t taken)
{
	return r->n > 1 + taken ? fmax(squares, 0) / (double)(r->n - 1 - taken) : INFINITY;
}

static double share_of(const struct rest *r, struct between b, double within)
{
	return r->total > 0 ? fmax(beyond_chance(b, within), 0) / (r->total + within) : 0;
}

static bool are_enough(struct rest *r, const struct importance_factor *factors, size_t n_factors)
{
	size_t values = 0;

	for (size_t k = 0; k < n_factors; k++) {
		const size_t groups = group(r, &(struct grouping){&factors[k], 1}).groups;

		values += groups > 0 ? groups - 1 : 0;
	}
	/* With as many means as configurations nothing would be left to be noise. */
	return r->n > 1 + values && r->n >= PER_VALUE * values;
}

/* Finds the factor that explains most of what is left, among those of out[first] on, and moves it
 * there. */
static struct between choose(struct rest *r, const struct importance_factor *factors,
			     size_t n_factors, size_t first, struct importance *out)
{
	struct between best = {0};
	double most = -INFINITY;
	size_t at = first;

	for (size_t k = first; k < n_factors; k++) {
		const struct between b = group(r, &(struct grouping){&factors[out[k].factor], 1});
		const double explained = beyond_chance(
			b, within_of(r, r->squares - b.squares, r->taken + b.groups - 1));

		if (explained > most) {
			most = explained;
			best = b;
			at = k;
		}
	}
	/* The others keep their order, so that equal shares stand in that of the file. */
	const struct importance chosen = out[at];

	memmove(out + first + 1, out + first, (at - first) * sizeof *out);
	out[first] = chosen;
	return best;
}

static void share_out(struct rest *r, const struct importance_factor *factors, size_t n_factors,
		      struct between *explained, struct importance *out)
{
	for (size_t k = 0; k < n_factors; k++) {
		explained[k] = choose(r, factors, n_factors, k, out);
		take(r, &(struct grouping){&factors[out[k].factor], 1});
	}
	/* Noise is known only now that every factor is out; the same noise is taken off all. */
	for (size_t k = 0; k < n_factors; k++)
		out[k].share = share_of(r, explained[k], within_of(r, r->squares, r->taken));
}

enum asc_status importance_find(const double *log_times, size_t n,
				const struct importance_factor *factors, size_t n_factors,
				struct importance *out, struct asc_err *e)
{
	size_t cells = 0;
	struct rest r;

	for (size_t k = 0; k < n_factors; k++) {
		const size_t own = count_cells(&(struct grouping){&factors[k], 1});

		out[k] = (struct importance){k, NAN};
		cells = own > cells ? own : cells;
	}
	struct between *explained = calloc(n_factors + 1, sizeof *explained);
	enum asc_status status = rest_init(&r, log_times, n, cells, e);

	if (!explained)
		status = asc_err_nomem(e);
	if (status == ASC_OK && are_enough(&r, factors, n_factors))
		share_out(&r, factors, n_factors, explained, out);
	rest_fini(&r);
	free(explained);
	return status;
}

static enum asc_status find_joint(const double *log_times, size_t n,
				  const struct importance_factor pair[2], double *share,
				  struct asc_err *e)
{
	const struct grouping both = {pair, 2};
	const size_t cells = count_cells(&both);
	struct rest r;

	if (cells > MAX_CELLS)
		return asc_err_set(e, ASC_LIMIT, "%zu pairs of values are too many", cells);
	const enum asc_status status = rest_init(&r, log_times, n, cells, e);

	if (status == ASC_OK) {
		const struct between b = group(&r, &both);

		*share = n > b.groups ? share_of(&r, b,
						 within_of(&r, r.squares - b.squares, b.groups - 1))
				      : NAN;
	}
	rest_fini(&r);
	return status;
}

enum asc_status importance_pair(const double *log_times, size_t n,
				const struct importance_factor pair[2],
				struct importance_of_pair *out, struct asc_err *e)
{
	struct importance each[2];
	enum asc_status status = find_joint(log_times, n, pair, &out->joint, e);

	if (status == ASC_OK)
		status = importance_find(log_times, n, pair, 2, each, e);
	if (status == ASC_OK) {
		/* Interaction: the variance that both explain together beyond what each explains
		 * alone. */
		const double extra = out->joint - each[0].share - each[1].share;

		out->extra = isnan(extra) ? NAN : fmax(extra, 0);
	}
	return status;
}
