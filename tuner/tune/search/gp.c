#include "tuner/tune/search/gp.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/tune/search/encoding.h"

/* Moves of a fit: so many rows are moved in all, up to a number of moves. */
enum { MOVED_ROWS = 900, MOST_MOVES = 30 };

static const double LN_2 = 0.69314718055994531, SQRT_2 = 1.4142135623730951;

/* Noise that is expected, and how far scales and noise stray: logarithms. */
static const double NOISE = -7, NOISE_DEVIATION = 2, SCALE_DEVIATION = 1.5;
static const double LEAST_VARIANCE = 1e-9, LEAST_NOISE = 0x1p-16;

enum asc_status gp_init(struct gp *g, size_t features, const struct forest_features *used,
			struct asc_err *e)
{
	*g = (struct gp){.features = features, .used = used, .noise_log = NOISE};
	g->scaled = malloc(sizeof *g->scaled * GP_ROWS * (features + 1));
	g->factor = malloc(sizeof *g->factor * GP_ROWS * GP_ROWS);
	return g->scaled && g->factor ? ASC_OK : asc_err_nomem(e);
}

void gp_fini(struct gp *g)
{
	free(g->scaled);
	free(g->factor);
	*g = (struct gp){0};
}

/* 2^x to 2^-24 of it as a power series about the middle between two whole numbers. */
static double find_exp2(double x)
{
	enum { TERMS = 7, LEAST = -200 };

	if (x < LEAST)
		return 0;
	const double whole = floor(x), part = (x - whole - 0.5) * LN_2;
	double sum = 1;

	for (int i = TERMS; i > 0; i--)
		sum = 1 + part * sum / i;
	return ldexp(sum * SQRT_2, (int)whole);
}

static double square(double x)
{
	return x * x;
}

static void scale_row(const struct gp *g, const float *row, double *out)
{
	for (size_t i = 0; i < g->features; i++)
		out[i] = (double)row[i] * g->inverse_scales[i];
}

/* Mean of the single features' covariances and of their products by twos, in equal parts: what a
 * parameter does alone, and what two do together, is found in few results. */
static double find_covariance(const struct gp *g, const double *a, const double *b)
{
	double n = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < g->features; i++) {
		if (g->inverse_scales[i] == 0)
			continue;
		const double c = 1 / (1 + square(a[i] - b[i]));

		n++;
		sum += c;
		squares += square(c);
	}
	if (n < 2)
		return n > 0 ? sum : 1;
	return (sum / n + (square(sum) - squares) / (n * (n - 1))) / 2;
}

/* Number `i` of the solution z of L z = b, before it is divided by the diagonal. */
static double reduce(const struct gp *g, size_t i, double b, const double *z)
{
	const double *row = &g->factor[i * GP_ROWS];

	for (size_t k = 0; k < i; k++)
		b -= row[k] * z[k];
	return b;
}

static double diagonal(const struct gp *g, size_t i)
{
	return g->factor[i * GP_ROWS + i];
}

/* Factors the covariance of the rows, which the least noise keeps positive. */
static void factor(struct gp *g)
{
	const double noise = LEAST_NOISE + find_exp2(g->noise_log);

	for (size_t i = 0; i < g->n; i++) {
		const double *at = &g->scaled[i * g->features];
		double *row = &g->factor[i * GP_ROWS];

		for (size_t k = 0; k < i; k++) {
			const double c = find_covariance(g, at, &g->scaled[k * g->features]);

			row[k] = reduce(g, k, c, row) / diagonal(g, k);
		}
		row[i] = sqrt(reduce(g, i, 1 + noise, row));
	}
}

/* Sets the scales; returns the square of how far the settings are from the expected ones. */
static double set_scales(struct gp *g, const struct forest_rows *rows)
{
	double strayed = square((g->noise_log - NOISE) / NOISE_DEVIATION);

	for (size_t i = 0; i < g->features; i++)
		g->inverse_scales[i] = 0;
	for (size_t k = 0; k < g->used->n; k++) {
		const size_t i = g->used->list[k];

		g->inverse_scales[i] = find_exp2(-g->scale_logs[i]) / (double)g->spans[i];
		strayed += square(g->scale_logs[i] / SCALE_DEVIATION);
	}
	for (size_t i = 0; i < g->n; i++)
		scale_row(g, &rows->features[i * g->features], &g->scaled[i * g->features]);
	return strayed;
}

/* Logarithm of the probability of settings and targets, but for a constant. Leaves L^-1 (targets -
 * mean) in the weights. */
static double evaluate(struct gp *g, const struct forest_rows *rows)
{
	const double strayed = set_scales(g, rows);
	double squares = LEAST_VARIANCE, logs = 0;

	factor(g);
	for (size_t i = 0; i < g->n; i++) {
		const double z = reduce(g, i, (double)rows->targets[i] - g->mean, g->weights);

		g->weights[i] = z / diagonal(g, i);
		squares += square(g->weights[i]);
		logs += encoding_log2(diagonal(g, i));
	}
	/* The most probable variance has a closed form, so it is none of the settings. */
	g->variance = squares / (double)g->n;
	return -logs - (double)g->n / 2 * encoding_log2(g->variance) - strayed / 2 / LN_2;
}

/* Tries other settings, one at a time. */
static void move_settings(struct gp *g, const struct forest_rows *rows, struct rng *rng)
{
	double best = evaluate(g, rows);

	for (size_t i = 0; i < MOST_MOVES && (i + 1) * g->n <= MOVED_ROWS; i++) {
		const size_t at = (size_t)rng_below(rng, g->used->n + 1);
		double *log = at < g->used->n ? &g->scale_logs[g->used->list[at]] : &g->noise_log;
		const double before = *log;

		*log += 2 * rng_uniform(rng) - 1;
		const double now = evaluate(g, rows);

		if (now > best)
			best = now;
		else
			*log = before; /* climbing alone is enough: each fit begins with the last
					  one */
	}
}

void gp_fit(struct gp *g, const struct forest_rows *rows, struct rng *rng)
{
	double sum = 0;

	g->n = rows->n < GP_ROWS ? rows->n : GP_ROWS;
	g->least = INFINITY;
	for (size_t i = 0; i < g->n; i++) {
		sum += (double)rows->targets[i];
		g->least = fmin(g->least, (double)rows->targets[i]);
	}
	g->mean = sum / (double)g->n;
	move_settings(g, rows, rng);
	evaluate(g,
		 rows); /* the last move may have been taken back: factor and weights are of it */
	/* Back substitution: the weights were L^-1 (targets - mean). */
	for (size_t i = g->n; i-- > 0;) {
		for (size_t k = i + 1; k < g->n; k++)
			g->weights[i] -= g->factor[k * GP_ROWS + i] * g->weights[k];
		g->weights[i] /= diagonal(g, i);
	}
}

void gp_expect(const struct gp *g, const float *row, double *mean, double *deviation)
{
	double scaled[FOREST_FEATURES], z[GP_ROWS], left = 1;

	*mean = g->mean;
	scale_row(g, row, scaled);
	for (size_t i = 0; i < g->n; i++) {
		const double c = find_covariance(g, scaled, &g->scaled[i * g->features]);

		*mean += c * g->weights[i];
		z[i] = reduce(g, i, c, z) / diagonal(g, i);
		left -= square(z[i]);
	}
	*deviation = sqrt(g->variance * fmax(left, LEAST_VARIANCE));
}

/* The target is taken as having a logistic distribution, whose integral has a closed form. Where
 * the odds are tiny the logarithm of 1 and them is them. */
double gp_improvement(const struct gp *g, const float *row)
{
	static const double PER_DEVIATION = 0.55132889542179204; /* sqrt(3) / pi */
	enum { TINY = -20, LARGE = 200 };
	double mean, deviation;

	gp_expect(g, row, &mean, &deviation);
	const double scale = deviation * PER_DEVIATION, x = (g->least - mean) / scale / LN_2;

	if (x > LARGE)
		return g->least - mean;
	const double odds = find_exp2(x);

	return scale * (x < TINY ? odds : LN_2 * encoding_log2(1 + odds));
}
