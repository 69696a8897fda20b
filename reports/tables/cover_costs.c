/* Costs by which a cover is chosen, and estimates of times that were not measured. Both look at the
 * problems nearby: two problems are near to each other if the ratios of their sizes are small. */
#include "reports/tables/cover_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"

/* Cost of a configuration on a problem where it has no time: more than all others together, so that
 * a choice never trades one failure for any gain elsewhere. */
static const double cost_of_failure = 1e6;

/* Highest cost that a problem nearby adds, that of 3.65 times the best time: a failure there is no
 * failure here. */
static const double most_nearby = 8;

/* Weight of squares of the logarithms of losses: from a loss of 28 % on they outweigh the losses
 * themselves, so that no problem pays much for small gains of many others. */
static const double square_weight = 4;

/* Weight of a problem for each factor of two between its sizes and another's. */
static const double weight_base = 0.25;

/* Weight of all other problems together, beside one's own cost of 1. */
static const double weight_of_others = 0.5;

/* Weight of the mean loss of all that was measured: that of one problem two doublings away, so that
 * an estimate far from all measurements is the mean. */
static const double weight_of_mean = 0.0625;

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

void cover_costs_fill(struct cover_costs *c)
{
	for (size_t p = 0; p < c->table->n_problems; p++) {
		const double *times = c->table->times_ns + p * c->table->n_configs;
		const double fastest = cover_fastest(c->table, p);

		for (size_t i = 0; i < c->n_configs; i++) {
			const double time = times[c->configs[i]], log_loss = log(time / fastest);

			c->costs[p * c->n_configs + i] =
				time > 0 && isfinite(time)
					? log_loss + square_weight * log_loss * log_loss
					: cost_of_failure;
		}
	}
}

/* Weight of one problem beside another, by the doublings between their sizes. */
static double weight_between(const struct cover_table *t, size_t a, size_t b)
{
	const int64_t *x = t->sizes + a * t->n_axes, *y = t->sizes + b * t->n_axes;
	double doublings = 0;

	for (size_t i = 0; i < t->n_axes; i++) /* a size of 0 is as near as 1 */
		doublings += fabs(log2(fmax((double)x[i], 1) / fmax((double)y[i], 1)));
	return pow(weight_base, doublings);
}

void cover_costs_smooth(const struct cover_costs *c, const bool *left_out, double *out)
{
	const size_t n = c->n_configs;

	memset(out, 0, c->table->n_problems * n * sizeof *out);
	for (size_t p = 0; p < c->table->n_problems; p++) {
		const double *own = c->costs + p * n;
		double *sums = out + p * n, weights = 0;

		for (size_t q = 0; q < c->table->n_problems; q++) {
			if (q == p || (left_out && left_out[q]))
				continue;
			const double weight = weight_between(c->table, p, q);

			weights += weight;
			for (size_t i = 0; i < n; i++)
				sums[i] += weight * fmin(c->costs[q * n + i], most_nearby);
		}
		for (size_t i = 0; i < n; i++) {
			/* A problem without others is as its surroundings would be. */
			const double others =
				weights > 0 ? sums[i] / weights : fmin(own[i], most_nearby);

			/* A failure is not averaged away: the configuration cannot serve here. */
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

/* ---- estimates ---- */

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

/* Sums up the losses of each configuration on the other problems, weighed by their distance. */
static void sum_up(struct estimator *x, size_t problem, double mean)
{
	const struct cover_table *t = x->table;

	for (size_t i = 0; i < t->n_configs; i++) {
		x->sums[i] = weight_of_mean * mean;
		x->weights[i] = weight_of_mean;
	}
	for (size_t q = 0; q < t->n_problems; q++) {
		const double *own = x->losses + q * t->n_configs;
		const double weight = weight_between(t, problem, q);

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
				/* A loss is a ratio: its mean is that of the logarithms. */
				times_ns[first + i] = fastest * exp(x.sums[i] / x.weights[i]);
	}
	free(x.losses);
	free(x.sums);
	free(x.weights);
	return ok;
}
