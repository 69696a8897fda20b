/* Trees of splits over sizes, quotients and products: grown where they save most, cut by
 * cross-validation. Inner part of a cover. */
#ifndef ASCTUNE_TABLES_COVER_TREE_H
#define ASCTUNE_TABLES_COVER_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/tables/cover.h"

struct cover_costs;

struct cover_tree {
	struct cover_node *nodes; /* in the order of the splits: number s has the nodes 2s - 1 and
				     2s below it */
	size_t n_nodes;
};

/* Grows a tree until no split saves anything. False: out of memory. */
bool cover_tree_grow(const struct cover_costs *c, struct cover_tree *out);
void cover_tree_fini(struct cover_tree *t);

/* Number of splits, counted from the first, with which problems that were left out cost least.
 * False: out of memory. */
bool cover_tree_validate(const struct cover_costs *c, size_t most, size_t *n_splits);

/* The configuration that the first n_splits splits give. */
uint32_t cover_tree_find(const struct cover_tree *t, size_t n_splits, const int64_t *sizes);

/* Leaves out all but the first n_splits splits. */
void cover_tree_cut(struct cover_tree *t, size_t n_splits);

#endif
