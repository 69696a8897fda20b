/* A set of rows of small numbers as a reduced decision diagram.
 *
 * A row has one pick for each level. A node stands for the rows that can follow from its level on:
 * an edge for each pick that leaves any, to a node of the next level. Equal nodes are there once,
 * and each knows how many rows it stands for, so that rows are numbered in the order of their
 * picks, first level slowest, without being listed.
 *
 * The caller owns the storage: diagram_init(), diagram_fini(). Nodes are made from the last level
 * to the first; once made they never change. */
#ifndef ASCTUNE_WORKLOAD_SPACE_DIAGRAM_H
#define ASCTUNE_WORKLOAD_SPACE_DIAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/intern.h"

enum {
	DIAGRAM_MAX_LEVELS = 64,
	DIAGRAM_MAX_NODES = 1 << 22,
	DIAGRAM_MAX_EDGES = 1 << 24,
	DIAGRAM_END = 0 /* node after the last level, which stands for one empty row */
};

#define DIAGRAM_NONE UINT32_MAX /* no node: stands for no row */

struct diagram_edge {
	uint64_t before; /* rows of the node's edges before this one */
	uint32_t child;
	uint16_t pick; /* ascending within a node */
};

struct diagram_node {
	uint64_t count; /* rows, at least 1 */
	uint32_t first; /* edge */
	uint32_t n;     /* edges */
	uint32_t level; /* level of the node; of END the number of levels */
};

struct diagram {
	struct diagram_node *nodes;
	struct diagram_edge *edges;
	size_t n_nodes, node_capacity, n_edges, edge_capacity;
	size_t levels;
	uint32_t root; /* DIAGRAM_NONE: the empty set */
	struct intern table;
};

enum asc_status diagram_init(struct diagram *d, size_t levels, struct asc_err *e);
void diagram_fini(struct diagram *d);

/* Finds or makes the node with these edges (`before` is not read); DIAGRAM_NONE when there are
 * none. ASC_LIMIT for 2^64 rows or more, and for more nodes or edges than the limits above. */
enum asc_status diagram_add(struct diagram *d, size_t level, const struct diagram_edge *edges,
			    size_t n, uint32_t *node, struct asc_err *e);

/* Frees the memory that only diagram_add() needs. */
void diagram_seal(struct diagram *d);

const struct diagram_edge *diagram_edges(const struct diagram *d, uint32_t node, size_t *n);

/* Finds the node's edge with this pick, or NULL. */
const struct diagram_edge *diagram_edge(const struct diagram *d, uint32_t node, uint16_t pick);

uint64_t diagram_count(const struct diagram *d);
void diagram_get(const struct diagram *d, uint64_t index, uint16_t *picks); /* index < count */
bool diagram_find(const struct diagram *d, const uint16_t *picks, uint64_t *index);

/* Makes a diagram of the same rows with the levels in another order: level i of *out is level
 * from[i] of `d`. ASC_LIMIT when it takes too many nodes. */
enum asc_status diagram_reorder(const struct diagram *d, const size_t *from, struct diagram *out,
				struct asc_err *e);

#endif
