/* The surrogate of large spaces: a forest of extremely randomised trees for regression (Geurts,
 * Ernst and Wehenkel, "Extremely randomized trees", 2006), whose splits are on one feature or on
 * the sum or difference of two: a product or ratio of parameters where features are logarithms.
 *
 * Trees are grown anew a few at a time, so that a forest that learns one result after another costs
 * little for each. The caller owns the storage: forest_init(), forest_fini(); rows and targets are
 * the caller's. */
#ifndef ASCTUNE_TUNE_SEARCH_FOREST_H
#define ASCTUNE_TUNE_SEARCH_FOREST_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/config.h"

enum {
	FOREST_TREES = 40,
	FOREST_BLOCK = 512,
	FOREST_FEATURES = CONFIG_MAX_PARAMETERS + 16 /* at most */
};

struct forest_node {
	uint32_t child;        /* the first of two children; 0: a leaf */
	uint16_t first, other; /* features; equal: one alone */
	float sign;            /* 1: sum, -1: difference; 0: one alone */
	float cut;             /* below: the first child; of a leaf its mean */
};

struct forest_tree {
	struct forest_node *nodes;
	size_t n, capacity;
};

struct forest_features {
	size_t n;
	uint16_t list[FOREST_FEATURES];
};

struct forest {
	struct rng rng;
	size_t features;                 /* numbers of a row, at most FOREST_FEATURES */
	struct forest_features split_on; /* features that trees split on; at first all */
	struct forest_tree trees[FOREST_TREES];
	size_t oldest;   /* tree that is grown next */
	uint32_t *order; /* rows in the order of the nodes that hold them */
	float *targets;  /* target of each row of a node */
	size_t capacity; /* rows that there is room for */
};

struct forest_rows { /* n rows of `features` numbers, and the target of each */
	const float *features;
	const float *targets;
	size_t n;
};

void forest_init(struct forest *f, size_t features, uint64_t seed);
void forest_fini(struct forest *f);

/* Grows the oldest tree anew from these rows, at least one; *tree is its number. */
enum asc_status forest_grow(struct forest *f, const struct forest_rows *rows, size_t *tree,
			    struct asc_err *e);

/* Writes the targets that one tree expects of n rows. */
void forest_expect(const struct forest *f, size_t tree, const float *rows, size_t n, float *out);

/* Lower confidence bound, the acquisition function of the forest, from the sum and the sum of
 * squares of n expectations: their mean less `deviations` of their standard deviations. 0 exploits
 * what the trees expect; the more deviations, the more it explores what they disagree about. */
float forest_bound_of(float sum, float squares, float n, float deviations);

/* Trees that are asked: every `step`-th from `first` on; deviations of their bounds. */
struct forest_view {
	size_t first, step;
	float deviations;
};

/* Writes the bounds of n rows, at most FOREST_BLOCK. */
void forest_bound(const struct forest *f, const struct forest_view *v, const float *rows, size_t n,
		  float *bounds);

#endif
