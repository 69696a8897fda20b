#include "tuner/workload/space/space.h"

#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/workload/space/space_core.h"

/* The neighbours of one configuration, found by leaving its way through the diagram.
 *
 * 1. Note the way: the node, the pick and the number of configurations before it, of each level
 *    (search_init).
 * 2. One parameter differs: take another edge at one level and follow the configuration's own picks
 *    from there (rejoin). As equal rests of the space are one node, most such ways meet the own one
 *    after few levels, and the rest of their number is known.
 * 3. Nothing within reach: the nearest value below and above on which the rest is valid
 *    (add_nearest).
 * 4. No single parameter can change: measure from the end of the diagram upwards how many
 *    parameters have to differ, then walk down to the ends that need no more (add_farther).
 *
 * Later steps run only where earlier ones found nothing: they cost more, and their configurations
 * are farther away. */
struct search {
	const struct diagram *diagram;
	uint64_t own;
	uint16_t picks[CONFIG_MAX_PARAMETERS];      /* picks of the configuration, by level */
	uint32_t nodes[CONFIG_MAX_PARAMETERS + 1];  /* nodes on its way, by level */
	uint64_t before[CONFIG_MAX_PARAMETERS + 1]; /* number of configurations before it, so far */
	uint64_t *found;
	size_t n, capacity;
};

static void search_init(struct search *q, const struct space *s, uint64_t index)
{
	const struct diagram *d = &s->diagram;

	*q = (struct search){.diagram = d, .own = index};
	diagram_get(d, index, q->picks);
	q->nodes[0] = d->root;
	/* The number of configurations before the own one, level by level: rejoin() needs any of
	 * the prefixes. */
	for (size_t i = 0; i < d->levels; i++) {
		const struct diagram_edge *edge = diagram_edge(d, q->nodes[i], q->picks[i]);
		q->nodes[i + 1] = edge->child;
		q->before[i + 1] = q->before[i] + edge->before;
	}
}

static enum asc_status add_found(struct search *q, uint64_t index, struct asc_err *e)
{
	if (q->n == q->capacity && !array_room(&q->found, q->n, &q->capacity, sizeof *q->found))
		return asc_err_nomem(e);
	q->found[q->n++] = index;
	return ASC_OK;
}

/* ---- one parameter differs ---- */

/* Follows the configuration's own picks after the edge at `level`: false when that is not valid. */
static bool rejoin(const struct search *q, size_t level, const struct diagram_edge *edge,
		   uint64_t *index)
{
	uint64_t before = q->before[level] + edge->before;
	uint32_t node = edge->child;

	for (size_t i = level + 1; i < q->diagram->levels; i++) {
		if (node == q->nodes[i]) { /* the rest of the way is the same */
			before += q->own - q->before[i];
			break;
		}
		edge = diagram_edge(q->diagram, node, q->picks[i]);
		if (!edge)
			return false;
		before += edge->before;
		node = edge->child;
	}
	*index = before;
	return true;
}

/* Number of steps between two picks in the list of values. */
static size_t steps(uint16_t a, uint16_t b)
{
	return a < b ? (size_t)(b - a) : (size_t)(a - b);
}

static enum asc_status add_within(struct search *q, size_t reach, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	for (size_t level = 0; level < q->diagram->levels; level++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(q->diagram, q->nodes[level], &n);
		for (size_t k = 0; !st && k < n; k++) {
			const size_t far = steps(edges[k].pick, q->picks[level]);
			uint64_t index;
			if (far > 0 && far <= reach && rejoin(q, level, &edges[k], &index))
				st = add_found(q, index, e);
		}
	}
	return st;
}

/* Adds the nearest neighbour below and above at each level, whatever lies between. */
static enum asc_status add_nearest(struct search *q, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	for (size_t level = 0; level < q->diagram->levels; level++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(q->diagram, q->nodes[level], &n);
		uint64_t below = SPACE_NONE, index;
		/* Edges are ascending: the last valid one below is the nearest. */
		for (size_t k = 0; k < n && edges[k].pick < q->picks[level]; k++)
			below = rejoin(q, level, &edges[k], &index) ? index : below;
		if (!st && below != SPACE_NONE)
			st = add_found(q, below, e);
		for (size_t k = 0; k < n; k++) {
			if (edges[k].pick <= q->picks[level] ||
			    !rejoin(q, level, &edges[k], &index))
				continue;
			st = st ? st : add_found(q, index, e);
			break;
		}
	}
	return st;
}

/* ---- as few parameters as possible differ ---- */

struct distance {
	uint8_t any;   /* fewest differences after each node */
	uint8_t other; /* fewest, but not none */
};

static uint8_t less(unsigned a, unsigned b)
{
	return (uint8_t)(a < b ? a : b);
}

/* Children come before their parents. */
static struct distance *measure(const struct search *q)
{
	const struct diagram *d = q->diagram;
	struct distance *all = calloc(d->n_nodes, sizeof *all);

	if (!all)
		return NULL;
	all[DIAGRAM_END] = (struct distance){0, UINT8_MAX};
	for (uint32_t i = 1; i < d->n_nodes; i++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		all[i] = (struct distance){UINT8_MAX, UINT8_MAX};
		for (size_t k = 0; k < n; k++) {
			const struct distance child = all[edges[k].child];
			const bool differs = edges[k].pick != q->picks[d->nodes[i].level];
			all[i].any = less(all[i].any, child.any + (unsigned)differs);
			/* With a difference here the rest may be equal; without one the difference
			 * has to come later. */
			all[i].other = less(all[i].other, differs ? child.any + 1U : child.other);
		}
	}
	return all;
}

/* Visits the ends after `node` with at most `left` differences, in order. As nothing else differs
 * in fewer parameters, the configuration itself is the only one with fewer than that. */
static enum asc_status add_far(struct search *q, const struct distance *all, uint32_t node,
			       unsigned left, uint64_t before, struct asc_err *e)
{
	const struct diagram *d = q->diagram;
	enum asc_status st = ASC_OK;
	size_t n;

	if (node == DIAGRAM_END)
		return before == q->own ? ASC_OK : add_found(q, before, e);
	const struct diagram_edge *edges = diagram_edges(d, node, &n);
	for (size_t k = 0; !st && k < n && q->n < SPACE_MAX_FAR; k++) {
		const unsigned differs = edges[k].pick != q->picks[d->nodes[node].level];
		/* Only ways that can still end within `left` are walked, so each step leads to a
		 * result. */
		if (differs + all[edges[k].child].any <= left)
			st = add_far(q, all, edges[k].child, left - differs,
				     before + edges[k].before, e);
	}
	return st;
}

static enum asc_status add_farther(struct search *q, struct asc_err *e)
{
	const uint32_t root = q->diagram->root;
	struct distance *all = measure(q);
	enum asc_status st = all ? ASC_OK : asc_err_nomem(e);

	/* UINT8_MAX: the space has no other configuration. */
	if (all && all[root].other != UINT8_MAX)
		st = add_far(q, all, root, all[root].other, 0, e);
	free(all);
	return st;
}

/* ---- the kinds of nearness ---- */

static int compare_indices(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

enum asc_status space_neighbours(const struct space *s, uint64_t index,
				 enum space_nearness nearness, uint64_t **out, size_t *n,
				 struct asc_err *e)
{
	struct search q;

	search_init(&q, s, index);
	enum asc_status st = add_within(&q, nearness == SPACE_HAMMING ? SIZE_MAX : 1, e);
	if (!st && nearness == SPACE_ADAPTIVE && q.n == 0)
		st = add_nearest(&q, e);
	if (!st && nearness == SPACE_ADAPTIVE && q.n == 0)
		st = add_farther(&q, e);
	/* No neighbour is an empty array, not NULL, which malloc(0) may be. */
	if (!st && !q.found)
		q.found = malloc(sizeof *q.found);
	if (!st && !q.found)
		st = asc_err_nomem(e);
	if (st) {
		free(q.found);
		return st;
	}
	if (q.found && q.n > 1)
		qsort(q.found, q.n, sizeof *q.found, compare_indices);
	*out = q.found;
	*n = q.n;
	return ASC_OK;
}
