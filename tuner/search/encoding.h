/* Configurations of a space as rows of numbers that a model learns from: the logarithm of each
 * parameter whose values are all above 0, the position of the value in its list for the others.
 * Parameters of one value are left out.
 *
 * The caller owns the storage: encoding_init(), encoding_fini(); the space is borrowed. */
#ifndef ASCTUNE_SEARCH_ENCODING_H
#define ASCTUNE_SEARCH_ENCODING_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/space/config.h"

struct space;

struct encoding {
	const struct space *space;
	size_t n; /* features */
	struct encoded_feature {
		size_t param;
		float *values; /* number of each of the parameter's values */
		float span;    /* largest less the least, above 0 */
	} features[CONFIG_MAX_PARAMETERS];
	float middle[CONFIG_MAX_PARAMETERS]; /* row between the least and the largest numbers */
};

enum asc_status encoding_init(struct encoding *c, const struct space *space, struct asc_err *e);
void encoding_fini(struct encoding *c);

/* Writes the row of a configuration, c->n numbers. */
void encoding_get(const struct encoding *c, uint64_t index, float *row);

/* Square of the distance of two rows, each feature in parts of its span. */
float encoding_distance(const struct encoding *c, const float *a, const float *b);

/* Logarithm to the base 2 of x > 0 to 2^-30, without a library's: the same on every machine. */
double encoding_log2(double x);

#endif
