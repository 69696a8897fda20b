/* The surrogate of small spaces: a Gaussian process for regression (Rasmussen and Williams,
 * "Gaussian processes for machine learning", 2006) that is a sum of processes of single features
 * and of pairs of them (Duvenaud, Nickisch and Rasmussen, "Additive Gaussian processes", 2011),
 * with a length scale for each feature. It learns more from few results than trees do, at a cost
 * that grows with the cube of their number.
 *
 * Results are the same on every machine: of a library only functions that are exact, such as sqrt()
 * and ldexp(). The caller owns the storage: gp_init(), gp_fini(); rows are read by gp_fit() alone.
 */
#ifndef ASCTUNE_TUNE_SEARCH_GP_H
#define ASCTUNE_TUNE_SEARCH_GP_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/rng.h"
#include "tuner/tune/search/forest.h"

enum { GP_ROWS = 40 /* rows that a process learns from, at most */ };

struct gp {
	size_t features, n;                     /* numbers of a row; rows */
	const struct forest_features *used;     /* features that count; borrowed */
	float spans[FOREST_FEATURES];           /* largest less least number of each, above 0 */
	double scale_logs[FOREST_FEATURES];     /* length scales in spans, to the base 2 */
	double noise_log;                       /* variance of the noise as a part of all */
	double inverse_scales[FOREST_FEATURES]; /* 0: does not count */
	double *scaled;                         /* rows in length scales */
	double *factor;                         /* lower triangle of Cholesky's factor */
	double weights[GP_ROWS];                /* of each row in an expectation */
	double mean, variance, least;           /* of the targets */
};

/* Prepares a process; the caller sets the spans. */
enum asc_status gp_init(struct gp *g, size_t features, const struct forest_features *used,
			struct asc_err *e);
void gp_fini(struct gp *g);

/* Fits the process to 1 to GP_ROWS rows: moves length scales and noise at random, keeps what makes
 * the targets more probable, and begins with the settings of the fit before. */
void gp_fit(struct gp *g, const struct forest_rows *rows, struct rng *rng);

/* Mean and standard deviation of the target of a row. */
void gp_expect(const struct gp *g, const float *row, double *mean, double *deviation);

/* Expected improvement on the least target so far, at least 0: the acquisition function of the
 * process, which weighs exploitation (a low mean) against exploration (a large deviation) itself.
 */
double gp_improvement(const struct gp *g, const float *row);

#endif
