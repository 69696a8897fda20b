/* Trees of splits over sizes, quotients and products of sizes. Inner part of a cover. */
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

/* Finds by cross-validation how many splits, counted from the first, cost least on problems that a
 * tree was not grown for. False: out of memory. */
bool cover_tree_validate(const struct cover_costs *c, size_t most, size_t *n_splits);

/* Configuration that a tree of its first n_splits splits gives these sizes. */
uint32_t cover_tree_find(const struct cover_tree *t, size_t n_splits, const int64_t *sizes);

/* Removes all but the first n_splits splits. */
void cover_tree_cut(struct cover_tree *t, size_t n_splits);

#endif
