/* Residuals of a series around its levels: how large, how autocorrelated. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_NOISE_H
#define ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_NOISE_H

#include <stddef.h>

struct segments;

struct noise {
	double *residuals; /* n residuals, from the medians of the segments */
	double *scratch;   /* n */
	size_t n;
	double grain; /* least scale of noise: a smaller one is taken for this */
};

/* Returns the grain: a fortieth of the usual distance of neighbouring values in order (the step of
 * a coarse clock), next to nothing for values that are never equal; 0 when all are equal. Uses
 * `scratch` and `residuals`. */
double noise_find_grain(struct noise *o, const double *values);

void noise_set(struct noise *o, const double *values, const struct segments *s);

/* Logarithm of the mean absolute innovation, with the lag-1 autocorrelation (0 to 1) that makes it
 * least. */
double noise_log_scale(const struct noise *o);

/* Standard deviation from the mean absolute residual, as it is for normal noise. */
double noise_spread(const struct noise *o);

/* Factor by which autocorrelation widens the variance of a mean, at least 1: Bartlett's weights up
 * to the lag 1.5 n^(1/3), residuals clipped at three times their spread (Newey and West, "A simple,
 * positive semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix",
 * 1987). */
double noise_inflation(struct noise *o);

/* Standard error of that factor for noise without autocorrelation, by Bartlett's formula. */
double noise_inflation_error(size_t n);

#endif
