/* Configurations of a space as rows of numbers that a model learns from: the logarithm of each
 * parameter whose values are all above 0, the position of the value in its list for the others.
 * Parameters of one value are left out. Behind them come the logarithms of features that the
 * workload states (strategy.h), unless they are a constant, or a sum or a difference of two others.
 *
 * The caller owns the storage: encoding_init(), encoding_fini(); the space is borrowed. */
#ifndef ASCTUNE_TUNE_SEARCH_ENCODING_H
#define ASCTUNE_TUNE_SEARCH_ENCODING_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/config.h"

struct space;

enum { ENCODING_MAX = CONFIG_MAX_PARAMETERS + STRATEGY_MAX_FEATURES };

struct encoding {
	const struct space *space;
	size_t n;        /* features; parameters come first: */
	size_t n_params; /* so many */
	struct encoded_feature {
		size_t from;   /* number of the parameter, or of the feature */
		float *values; /* number of each of the parameter's values; NULL: it is none */
		float span;    /* largest less the least, above 0 */
	} features[ENCODING_MAX];
	float middle[CONFIG_MAX_PARAMETERS]; /* row between the least and the largest numbers */
	struct strategy_features told;       /* what the workload tells */
};

/* `told`: features of a workload. */
enum asc_status encoding_init(struct encoding *c, const struct space *space,
			      const struct strategy_features *told, struct asc_err *e);
void encoding_fini(struct encoding *c);

/* Writes the row of a configuration, c->n numbers. */
void encoding_get(const struct encoding *c, uint64_t index, float *row);

/* Square of the distance of two rows, each parameter in parts of its span. */
float encoding_distance(const struct encoding *c, const float *a, const float *b);

/* Logarithm to the base 2 of x > 0 to 2^-30, without a library's: the same on every machine. */
double encoding_log2(double x);

#endif
