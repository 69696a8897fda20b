/* Boxes in a space of few dimensions: which of them hold a point, and which is nearest to it.
 *
 * The caller owns the storage: `struct box_tree t = {0}`, box_tree_init(), then box_tree_fini(). A
 * tree is not changed by questions, which allocate nothing: any number of threads may ask. */
#ifndef ASCTUNE_TABLES_LOOKUP_BOX_TREE_H
#define ASCTUNE_TABLES_LOOKUP_BOX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOX_NONE UINT32_MAX

struct box_tree {
	size_t dims;
	uint32_t *items; /* numbers of boxes, those of a leaf side by side */
	double *boxes;   /* by place in `items`: dims lower bounds, then dims upper ones */
	struct box_node *nodes;
	double *bounds; /* of a node's boxes, laid out as `boxes` */
	size_t n, n_nodes;
};

/* Builds a tree over n boxes of `dims` dimensions. Box i has dims lower bounds, then dims upper
 * ones, at boxes + 2 * dims * i; bounds are finite and belong to the box. False: out of memory. */
bool box_tree_init(struct box_tree *t, size_t dims, const double *boxes, size_t n);
void box_tree_fini(struct box_tree *t);

typedef bool box_accept_fn(const void *user, uint32_t box);

/* Finds the lowest number of an accepted box that holds the point, or BOX_NONE. */
uint32_t box_tree_first(const struct box_tree *t, const double *point, box_accept_fn *accept,
			const void *user);

/* Finds the accepted box with the smallest distance to the point, which is the sum of the distances
 * in each dimension; of several the one with the lowest number. BOX_NONE: none is accepted. */
uint32_t box_tree_nearest(const struct box_tree *t, const double *point, box_accept_fn *accept,
			  const void *user);

#endif
