#include "tuner/workload/space/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"

void diagram_fini(struct diagram *d)
{
	free(d->nodes);
	free(d->edges);
	intern_fini(&d->table);
	*d = (struct diagram){0};
}

void diagram_seal(struct diagram *d)
{
	struct diagram_node *nodes = realloc(d->nodes, d->n_nodes * sizeof *nodes);
	struct diagram_edge *edges =
		d->n_edges ? realloc(d->edges, d->n_edges * sizeof *edges) : NULL;

	intern_fini(&d->table);
	/* Giving memory back may fail, which changes nothing. */
	d->nodes = nodes ? nodes : d->nodes;
	d->edges = edges ? edges : d->edges;
}

/* ---- making nodes ---- */

static enum asc_status reserve_node(struct diagram *d, struct asc_err *e)
{
	if (d->n_nodes < d->node_capacity)
		return ASC_OK;
	if (d->n_nodes == DIAGRAM_MAX_NODES)
		return asc_err_set(e, ASC_LIMIT, "more than %d nodes", DIAGRAM_MAX_NODES);
	return array_room(&d->nodes, d->n_nodes, &d->node_capacity, sizeof *d->nodes)
		       ? ASC_OK
		       : asc_err_nomem(e);
}

static enum asc_status reserve_edges(struct diagram *d, size_t n, struct asc_err *e)
{
	size_t capacity = d->edge_capacity ? d->edge_capacity : 256;

	if (d->n_edges + n > DIAGRAM_MAX_EDGES)
		return asc_err_set(e, ASC_LIMIT, "more than %d edges", DIAGRAM_MAX_EDGES);
	/* Doubled: a node's edges have to follow one another, whatever their number. */
	while (capacity < d->n_edges + n)
		capacity *= 2;
	if (capacity == d->edge_capacity)
		return ASC_OK;
	struct diagram_edge *grown = realloc(d->edges, capacity * sizeof *grown);
	if (!grown)
		return asc_err_nomem(e);
	d->edges = grown;
	d->edge_capacity = capacity;
	return ASC_OK;
}

enum asc_status diagram_init(struct diagram *d, size_t levels, struct asc_err *e)
{
	*d = (struct diagram){.levels = levels, .root = DIAGRAM_NONE};
	const enum asc_status st = reserve_node(d, e);

	if (st)
		return st;
	d->nodes[d->n_nodes++] = (struct diagram_node){.count = 1, .level = (uint32_t)levels};
	return ASC_OK;
}

struct wanted {
	const struct diagram *diagram;
	const struct diagram_edge *edges;
	size_t n, level;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const struct diagram_node *node = &w->diagram->nodes[id];
	const struct diagram_edge *edges = w->diagram->edges + node->first;

	if (node->n != w->n || node->level != w->level)
		return false;
	for (size_t i = 0; i < w->n; i++) {
		if (edges[i].child != w->edges[i].child || edges[i].pick != w->edges[i].pick)
			return false;
	}
	return true;
}

/* Multiplies and folds: the edges lie apart in memory from what does not belong to the key. */
static uint64_t hash_edges(const struct diagram_edge *edges, size_t n, size_t level)
{
	uint64_t h = n * 64 + level;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ ((uint64_t)edges[i].child << 16 | edges[i].pick)) * 0x9E3779B97F4A7C15U;
		h ^= h >> 32;
	}
	return h;
}

static enum asc_status append(struct diagram *d, size_t level, const struct diagram_edge *edges,
			      size_t n, struct asc_err *e)
{
	struct diagram_node node = {0, (uint32_t)d->n_edges, (uint32_t)n, (uint32_t)level};
	enum asc_status st = reserve_node(d, e);

	if (!st)
		st = reserve_edges(d, n, e);
	if (st)
		return st;
	for (size_t i = 0; i < n; i++) {
		const uint64_t more = d->nodes[edges[i].child].count;
		d->edges[d->n_edges + i] =
			(struct diagram_edge){node.count, edges[i].child, edges[i].pick};
		/* Nodes are numbered by 64 bits; a count that wraps would give two rows one
		 * number. */
		if (__builtin_add_overflow(node.count, more, &node.count))
			return asc_err_set(e, ASC_LIMIT,
					   "more than 2^64 - 1 configurations, which is as many as "
					   "can be numbered");
	}
	d->nodes[d->n_nodes++] = node;
	d->n_edges += n;
	return ASC_OK;
}

enum asc_status diagram_add(struct diagram *d, size_t level, const struct diagram_edge *edges,
			    size_t n, uint32_t *node, struct asc_err *e)
{
	const struct wanted w = {d, edges, n, level};
	const uint64_t hash = hash_edges(edges, n, level);

	*node = n == 0 ? DIAGRAM_NONE : intern_find(&d->table, hash, is_wanted, &w);
	if (n == 0 || *node != INTERN_NONE)
		return ASC_OK;
	/* Equal nodes have been found above: what is appended is new. */
	const enum asc_status st = append(d, level, edges, n, e);
	if (st)
		return st;
	*node = (uint32_t)(d->n_nodes - 1);
	return intern_add(&d->table, hash, *node) ? ASC_OK : asc_err_nomem(e);
}

/* ---- reading ---- */

const struct diagram_edge *diagram_edges(const struct diagram *d, uint32_t node, size_t *n)
{
	*n = d->nodes[node].n;
	return d->edges + d->nodes[node].first;
}

const struct diagram_edge *diagram_edge(const struct diagram *d, uint32_t node, uint16_t pick)
{
	size_t n, low = 0;
	const struct diagram_edge *edges = diagram_edges(d, node, &n);

	while (n > 1) { /* the edge is at low .. low + n - 1, if anywhere */
		const size_t half = n / 2;
		low += edges[low + half].pick <= pick ? half : 0;
		n -= half;
	}
	return n == 1 && edges[low].pick == pick ? &edges[low] : NULL;
}

uint64_t diagram_count(const struct diagram *d)
{
	return d->root == DIAGRAM_NONE ? 0 : d->nodes[d->root].count;
}

void diagram_get(const struct diagram *d, uint64_t index, uint16_t *picks)
{
	uint32_t node = d->root;

	for (size_t level = 0; level < d->levels; level++) {
		size_t n, low = 0;
		const struct diagram_edge *edges = diagram_edges(d, node, &n);
		/* Halving: the last edge with no more than `index` rows before it. */
		while (n > 1) {
			const size_t half = n / 2;
			low += edges[low + half].before <= index ? half : 0;
			n -= half;
		}
		index -= edges[low].before;
		picks[level] = edges[low].pick;
		node = edges[low].child;
	}
}

bool diagram_find(const struct diagram *d, const uint16_t *picks, uint64_t *index)
{
	uint32_t node = d->root;
	uint64_t before = 0;

	if (node == DIAGRAM_NONE)
		return false;
	for (size_t level = 0; level < d->levels; level++) {
		const struct diagram_edge *edge = diagram_edge(d, node, picks[level]);
		if (!edge)
			return false;
		before += edge->before;
		node = edge->child;
	}
	*index = before;
	return true;
}
