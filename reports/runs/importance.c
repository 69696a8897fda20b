#include "reports/runs/importance.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_CELLS = 1 << 24 };

struct group {
	double sum;
	size_t n;
};

/* Index of a value; a missing one comes after the others. */
static size_t group_of(const struct importance_factor *f, size_t i)
{
	return f->picks[i] < f->n_values ? f->picks[i] : f->n_values;
}

static size_t cell_of(const struct importance_factor *pair, size_t i)
{
	return group_of(&pair[0], i) * (pair[1].n_values + 1) + group_of(&pair[1], i);
}

static double mean_of(const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += y[i];
	return n ? sum / (double)n : 0;
}

static double total_squares(const double *y, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (y[i] - mean) * (y[i] - mean);
	return sum;
}

/* Omega squared of grouped `y`, which are differences from their mean, so that the squares lose
 * little. */
static double omega_squared(const struct group *groups, size_t n_groups, double total, size_t n)
{
	double between = 0;
	size_t k = 0;

	for (size_t g = 0; g < n_groups; g++) {
		if (groups[g].n == 0)
			continue;
		between += groups[g].sum * groups[g].sum / (double)groups[g].n;
		k++;
	}
	if (n <= k)
		return NAN;
	if (total <= 0 || k < 2)
		return 0;
	const double within = fmax(total - between, 0) / (double)(n - k);
	const double share = (between - (double)(k - 1) * within) / (total + within);

	return fmax(share, 0);
}

/* Finds the share of a grouping by one factor, or by the pairs of two. */
static enum asc_status find_share(const double *y, size_t n, const struct importance_factor *f,
				  size_t n_factors, double *share, struct asc_err *e)
{
	const size_t cells = (f[0].n_values + 1) * (n_factors > 1 ? f[1].n_values + 1 : 1);
	const double mean = mean_of(y, n);

	if (cells > MAX_CELLS)
		return asc_err_set(e, ASC_LIMIT, "%zu pairs of values are too many", cells);
	struct group *groups = calloc(cells, sizeof *groups);
	if (!groups)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		struct group *g = &groups[n_factors > 1 ? cell_of(f, i) : group_of(f, i)];

		g->sum += y[i] - mean;
		g->n++;
	}
	*share = omega_squared(groups, cells, total_squares(y, n, mean), n);
	free(groups);
	return ASC_OK;
}

enum asc_status importance_single(const double *log_times, size_t n,
				  const struct importance_factor *f, double *share,
				  struct asc_err *e)
{
	return find_share(log_times, n, f, 1, share, e);
}

enum asc_status importance_pair(const double *log_times, size_t n,
				const struct importance_factor pair[2], const double singles[2],
				struct importance_of_pair *out, struct asc_err *e)
{
	const enum asc_status status = find_share(log_times, n, pair, 2, &out->joint, e);

	if (status == ASC_OK) {
		const double extra = out->joint - singles[0] - singles[1];

		out->extra = isnan(extra) ? NAN : fmax(extra, 0);
	}
	return status;
}
