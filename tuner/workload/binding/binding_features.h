/* Features that the formulas of a workload give a configuration beside its parameters, for
 * strategies that learn from results: of each call the threads of a block, the blocks of the grid
 * and the bytes of scratch memory, where the workload states them.
 *
 * The owner frees them; one caller at a time. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_FEATURES_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_FEATURES_H

#include <stddef.h>

#include "tuner/base/err.h"

struct binding;
struct binding_features;
struct config;
struct implementation;

/* Compiles the formulas. Leaves out a formula that is the same for every configuration or needs a
 * fact that is unknown here, and all formulas beyond `most`. */
enum asc_status binding_features_new(const struct binding *b, const struct implementation *i,
				     size_t most, struct binding_features **out, struct asc_err *e);
void binding_features_free(struct binding_features *f);
size_t binding_features_count(const struct binding_features *f);

/* Writes the numbers for a configuration; 0 where a formula cannot be evaluated. */
void binding_features_get(const struct binding_features *f, const struct config *c, double *out);

#endif
