/* Estimates of times that were not measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "reports/tables/cover_costs.h"

/* Weight of the mean loss of all that was measured: that of one problem two doublings away. */
static const double weight_of_mean = 0.0625;

struct estimator {
	const struct cover_table *table;
	double *losses;         /* logarithms, in the order of the table's times; NAN: no time */
	double *sums, *weights; /* of each configuration, on one problem */
};

/* Sets the losses, and returns their mean. */
static double take_losses(struct estimator *x)
{
	const struct cover_table *t = x->table;
	double sum = 0;
	size_t n = 0;

	for (size_t p = 0; p < t->n_problems; p++) {
		const double fastest = cover_fastest(t, p);

		for (size_t i = 0; i < t->n_configs; i++) {
			const double time = t->times_ns[p * t->n_configs + i];
			const bool known = time > 0 && isfinite(time);

			x->losses[p * t->n_configs + i] = known ? log(time / fastest) : NAN;
			sum += known ? log(time / fastest) : 0;
			n += known;
		}
	}
	return n > 0 ? sum / (double)n : 0;
}

/* Sums up what is known of each configuration on the other problems. */
static void sum_up(struct estimator *x, size_t problem, double mean)
{
	const struct cover_table *t = x->table;

	for (size_t i = 0; i < t->n_configs; i++) {
		x->sums[i] = weight_of_mean * mean;
		x->weights[i] = weight_of_mean;
	}
	for (size_t q = 0; q < t->n_problems; q++) {
		const double *own = x->losses + q * t->n_configs;
		const double weight = cover_costs_weight(t, problem, q);

		for (size_t i = 0; q != problem && i < t->n_configs; i++) {
			x->sums[i] += isnan(own[i]) ? 0 : weight * own[i];
			x->weights[i] += isnan(own[i]) ? 0 : weight;
		}
	}
}

bool cover_estimate(const struct cover_table *t, const bool *open, double *times_ns)
{
	const size_t n = t->n_problems * t->n_configs;
	struct estimator x = {.table = t,
			      .losses = calloc(n + 1, sizeof *x.losses),
			      .sums = calloc(t->n_configs + 1, sizeof *x.sums),
			      .weights = calloc(t->n_configs + 1, sizeof *x.weights)};
	const bool ok = x.losses && x.sums && x.weights;
	const double mean = ok ? take_losses(&x) : 0;

	memcpy(times_ns, t->times_ns, n * sizeof *times_ns);
	for (size_t p = 0; ok && p < t->n_problems; p++) {
		const double fastest = cover_fastest(t, p);
		const size_t first = p * t->n_configs;

		sum_up(&x, p, mean);
		for (size_t i = 0; i < t->n_configs; i++)
			if (open[first + i])
				times_ns[first + i] = fastest * exp(x.sums[i] / x.weights[i]);
	}
	free(x.losses);
	free(x.sums);
	free(x.weights);
	return ok;
}
