/* A decision diagram as it is first made, from the first depth to the last: with nodes that nothing
 * may follow, and equal ones. Private to tuner/model/space*.c.
 *
 * The caller owns the storage: `struct space_raw r = {0}`, then space_raw_fini(). Nodes are added
 * depth by depth, each followed by its edges. */
#ifndef ASCTUNE_MODEL_SPACE_RAW_H
#define ASCTUNE_MODEL_SPACE_RAW_H

#include "tuner/model/diagram.h"

struct space_raw {
	struct space_raw_edge {
		uint32_t child; /* number within the next depth */
		uint16_t pick;
	} * edges;
	size_t n_edges, edge_capacity;
	size_t *firsts; /* of each node: its first edge */
	size_t n_nodes, node_capacity;
	size_t starts[DIAGRAM_MAX_LEVELS + 1]; /* of each depth: its first node */
};

void space_raw_fini(struct space_raw *r);

/* Held by its nodes and edges. */
size_t space_raw_bytes(const struct space_raw *r);

/* The nodes that are added next are those of the depth. */
void space_raw_start(struct space_raw *r, size_t depth);
enum asc_status space_raw_add_node(struct space_raw *r, struct asc_err *e);
enum asc_status space_raw_add_edge(struct space_raw *r, uint32_t child, uint16_t pick,
				   struct asc_err *e);

/* Adds to an empty diagram of `depths` levels what leads to an end: below the last depth is its one
 * node, and that depth was started. */
enum asc_status space_raw_reduce(const struct space_raw *r, size_t depths, struct diagram *out,
				 struct asc_err *e);

#endif
