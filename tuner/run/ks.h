/* The two-sample Kolmogorov-Smirnov test: were two sets of numbers drawn from one distribution? */
#ifndef ASCTUNE_RUN_KS_H
#define ASCTUNE_RUN_KS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"

struct ks {
	double distance;    /* largest difference of the two empirical distribution functions */
	double p;           /* probability of at least that distance by chance */
	int64_t not_finite; /* elements that are no numbers; then nothing else is worked out */
};

/* P(K >= lambda) of Kolmogorov's distribution: 2 * sum over j >= 1 of (-1)^(j-1) exp(-2 j^2
 * lambda^2) (Kolmogorov 1933). */
double ks_tail(double lambda);

/* n numbers of `dtype` against n doubles. lambda = (sqrt(N) + 0.12 + 0.11 / sqrt(N)) * distance
 * with N = n * n / (n + n): Stephens, "Use of the Kolmogorov-Smirnov, Cramer-Von Mises and related
 * statistics without extensive tables", J. Royal Statistical Society B 32 (1970). */
enum asc_status ks_test(enum dtype dtype, const void *out, const double *reference, size_t n,
			struct ks *ks, struct asc_err *e);

#endif
