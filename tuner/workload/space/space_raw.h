/* A decision diagram as it is first made, from the first depth to the last: with nodes that nothing
 * may follow, and equal ones. Private to tuner/workload/space/space*.c.
 *
 * The caller owns the storage: `struct space_raw r = {0}`, then space_raw_fini(). Nodes are added
 * depth by depth, each followed by its edges. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_RAW_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_RAW_H

#include "tuner/workload/space/diagram.h"

struct space_raw {
	struct space_raw_edge {
		uint32_t child; /* number within the next depth */
		uint16_t pick;
	} * edges;
	size_t n_edges, edge_capacity;
	size_t *firsts; /* first edge of each node */
	size_t n_nodes, node_capacity;
	size_t starts[DIAGRAM_MAX_LEVELS + 1]; /* first node of each depth */
};

void space_raw_fini(struct space_raw *r);

/* Bytes that its nodes and edges take. */
size_t space_raw_bytes(const struct space_raw *r);

/* Begins a depth: the nodes added next are those of it. */
void space_raw_start(struct space_raw *r, size_t depth);
enum asc_status space_raw_add_node(struct space_raw *r, struct asc_err *e);
enum asc_status space_raw_add_edge(struct space_raw *r, uint32_t child, uint16_t pick,
				   struct asc_err *e);

/* Adds the nodes that lead to an end to an empty diagram of `depths` levels: below the last depth
 * is its one node, and that depth was started. */
enum asc_status space_raw_reduce(const struct space_raw *r, size_t depths, struct diagram *out,
				 struct asc_err *e);

#endif
