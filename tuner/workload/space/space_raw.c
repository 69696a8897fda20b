#include "tuner/workload/space/space_raw.h"

#include <stdlib.h>

#include "tuner/base/array.h"

void space_raw_fini(struct space_raw *r)
{
	free(r->edges);
	free(r->firsts);
}

size_t space_raw_bytes(const struct space_raw *r)
{
	return r->n_edges * sizeof *r->edges + r->n_nodes * sizeof *r->firsts;
}

void space_raw_start(struct space_raw *r, size_t depth)
{
	r->starts[depth] = r->n_nodes;
}

enum asc_status space_raw_add_edge(struct space_raw *r, uint32_t child, uint16_t pick,
				   struct asc_err *e)
{
	if (r->n_edges == r->edge_capacity &&
	    !array_room(&r->edges, r->n_edges, &r->edge_capacity, sizeof *r->edges))
		return asc_err_nomem(e);
	r->edges[r->n_edges++] = (struct space_raw_edge){child, pick};
	return ASC_OK;
}

enum asc_status space_raw_add_node(struct space_raw *r, struct asc_err *e)
{
	if (r->n_nodes == r->node_capacity &&
	    !array_room(&r->firsts, r->n_nodes, &r->node_capacity, sizeof *r->firsts))
		return asc_err_nomem(e);
	r->firsts[r->n_nodes++] = r->n_edges;
	return ASC_OK;
}

static size_t end_of(const struct space_raw *r, size_t node)
{
	return node + 1 < r->n_nodes ? r->firsts[node + 1] : r->n_edges;
}

static size_t widest(const struct space_raw *r)
{
	size_t most = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		const size_t n = end_of(r, i) - r->firsts[i];
		most = n > most ? n : most;
	}
	return most;
}

/* Adds one depth to the diagram: nodes[] holds the new node of each node of the next depth, and
 * gets the same for this depth. */
static enum asc_status reduce_depth(const struct space_raw *r, size_t depth, struct diagram *out,
				    uint32_t *nodes, struct diagram_edge *edges, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	for (size_t i = r->starts[depth]; !st && i < r->starts[depth + 1]; i++) {
		size_t n = 0;
		for (size_t k = r->firsts[i]; k < end_of(r, i); k++) {
			const uint32_t child = nodes[r->starts[depth + 1] + r->edges[k].child];
			if (child != DIAGRAM_NONE)
				edges[n++] = (struct diagram_edge){0, child, r->edges[k].pick};
		}
		st = diagram_add(out, depth, edges, n, &nodes[i], e);
	}
	return st;
}

enum asc_status space_raw_reduce(const struct space_raw *r, size_t depths, struct diagram *out,
				 struct asc_err *e)
{
	uint32_t *nodes = calloc(r->n_nodes + 1, sizeof *nodes);
	struct diagram_edge *edges = malloc((widest(r) + 1) * sizeof *edges);
	enum asc_status st = ASC_OK;

	if (!nodes || !edges) {
		st = asc_err_nomem(e);
		goto out;
	}
	nodes[r->n_nodes] = DIAGRAM_END;
	for (size_t depth = depths; !st && depth-- > 0;)
		st = reduce_depth(r, depth, out, nodes, edges, e);
	if (!st)
		out->root = nodes[0];
out:
	free(nodes);
	free(edges);
	return st;
}
