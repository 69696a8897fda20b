#include "reports/tables/cover_costs.h"

#include <math.h>
#include <string.h>

#include "reports/tables/cover.h"

/* Cost of a configuration on a problem where it has no time: more than all others together. */
static const double cost_of_failure = 1e6;

/* Highest cost that a problem nearby adds: a failure there is none here. */
static const double most_nearby = 8;

/* Weight of squares of the logarithms of losses. */
static const double square_weight = 4;

static const double weight_base = 0.25, weight_of_others = 0.5;

static const double *times_of(const struct cover_table *t, size_t problem)
{
	return t->times_ns + problem * t->n_configs;
}

double cover_fastest(const struct cover_table *t, size_t problem)
{
	const double *times = times_of(t, problem);
	double best = INFINITY;

	for (size_t i = 0; i < t->n_configs; i++)
		if (times[i] > 0 && times[i] < best)
			best = times[i];
	return best;
}

double cover_loss(const struct cover_table *t, size_t problem, size_t config)
{
	const double own = times_of(t, problem)[config];

	return own > 0 && isfinite(own) ? own / cover_fastest(t, problem) - 1 : INFINITY;
}

static double cost_of(double time_ns, double fastest_ns)
{
	const double log_loss = log(time_ns / fastest_ns);

	return time_ns > 0 && isfinite(time_ns) ? log_loss + square_weight * log_loss * log_loss
						: cost_of_failure;
}

void cover_costs_fill(struct cover_costs *c)
{
	for (size_t p = 0; p < c->table->n_problems; p++) {
		const double *times = c->table->times_ns + p * c->table->n_configs;
		const double fastest = cover_fastest(c->table, p);

		for (size_t i = 0; i < c->n_configs; i++)
			c->costs[p * c->n_configs + i] = cost_of(times[c->configs[i]], fastest);
	}
}

/* Sum over the sizes of the logarithm of their ratio, to base 2. */
static double distance(const struct cover_table *t, size_t a, size_t b)
{
	const int64_t *x = t->sizes + a * t->n_axes, *y = t->sizes + b * t->n_axes;
	double sum = 0;

	for (size_t i = 0; i < t->n_axes; i++)
		sum += fabs(log2(fmax((double)x[i], 1) / fmax((double)y[i], 1)));
	return sum;
}

double cover_costs_weight(const struct cover_table *t, size_t a, size_t b)
{
	return pow(weight_base, distance(t, a, b));
}

/* Adds the costs of the other problems, weighed; returns the sum of weights. */
static double add_others(const struct cover_costs *c, const bool *left_out, size_t problem,
			 double *sums)
{
	double weights = 0;

	for (size_t q = 0; q < c->table->n_problems; q++) {
		if (q == problem || (left_out && left_out[q]))
			continue;
		const double weight = cover_costs_weight(c->table, problem, q);

		weights += weight;
		for (size_t i = 0; i < c->n_configs; i++)
			sums[i] += weight * fmin(c->costs[q * c->n_configs + i], most_nearby);
	}
	return weights;
}

void cover_costs_smooth(const struct cover_costs *c, const bool *left_out, double *out)
{
	const size_t n = c->n_configs;

	memset(out, 0, c->table->n_problems * n * sizeof *out);
	for (size_t p = 0; p < c->table->n_problems; p++) {
		const double *own = c->costs + p * n;
		double *sums = out + p * n;
		const double weights = add_others(c, left_out, p, sums);

		for (size_t i = 0; i < n; i++) {
			const double others =
				weights > 0 ? sums[i] / weights : fmin(own[i], most_nearby);

			sums[i] = own[i] < cost_of_failure ? (own[i] + weight_of_others * others) /
								     (1 + weight_of_others)
							   : own[i];
		}
	}
}

size_t cover_costs_find(const struct cover_costs *c, uint32_t config)
{
	size_t i = 0;

	while (c->configs[i] != config)
		i++;
	return i;
}
