#include "tuner/workload/space/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

/* A diagram of the same rows with its levels in another order, without listing the rows.
 *
 * A node of the new order stands for the rows that are left once the first new levels are picked.
 * That set is held as a node in the old order, with those levels taken out: `cut` holds the old
 * nodes and all that arise from them.
 *
 * 1. Copy the old diagram into `cut` (copy_diagram).
 * 2. From its root on (turn_node), take the first level of the new order out of the node
 *    (take_out): for each pick of that level one node is left, the rest. In a node of that level
 *    rests are the children. In a node above it they are joined from the rests of the children, for
 *    all picks at once (join_rests): each pick has an edge for each child that has a rest of this
 *    pick.
 * 3. Turn each rest in the same way with the next level, and make the new node of what they turn
 *    into (turn_rests).
 *
 * Rests that are equal are one node of `cut`, and each node is taken apart and turned once: so the
 * work is bounded by the nodes on the way, which diagram_add() limits, and not by the rows. */
struct turn {
	struct diagram cut;
	struct diagram *out;
	const size_t *from;
	size_t n_picks[DIAGRAM_MAX_LEVELS]; /* picks of each old level: one more than the largest */
	struct fate { /* state of each node of `cut`; the level is the first new one that the node
			 still has */
		uint32_t turned;   /* node of the same rows in `out`; DIAGRAM_END: not yet made */
		uint32_t first, n; /* range in rests: the nodes left once the level is picked; n 0:
				      not yet made */
	} * fates;
	struct rest {
		uint32_t node; /* node of `cut` */
		uint16_t pick; /* pick of the level, ascending within a node */
	} * rests;
	struct diagram_edge *sorted; /* rests of all children of a node, by their picks */
	uint32_t *ends;              /* end of each pick in `sorted`; zeros between uses */
	size_t n_fates, n_rests, rest_capacity, sorted_capacity;
};

static enum asc_status copy_diagram(const struct diagram *d, struct diagram *out, struct asc_err *e)
{
	uint32_t node;
	enum asc_status st = diagram_init(out, d->levels, e);

	/* Copies the nodes of the old diagram: children come before parents and no two are equal,
	 * so each keeps its number. */
	for (uint32_t i = 1; !st && i < d->n_nodes; i++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		st = diagram_add(out, d->nodes[i].level, edges, n, &node, e);
	}
	out->root = d->root;
	return st;
}

/* ---- room ---- */

static enum asc_status reserve_fates(struct turn *t, struct asc_err *e)
{
	if (t->n_fates >= t->cut.n_nodes)
		return ASC_OK;
	struct fate *grown = realloc(t->fates, t->cut.node_capacity * sizeof *grown);
	if (!grown)
		return asc_err_nomem(e);
	/* Zero is "not yet made" for all of a fate's members. */
	memset(grown + t->n_fates, 0, (t->cut.node_capacity - t->n_fates) * sizeof *grown);
	t->fates = grown;
	t->n_fates = t->cut.node_capacity;
	return ASC_OK;
}

static enum asc_status reserve_sorted(struct turn *t, size_t n, struct asc_err *e)
{
	if (n <= t->sorted_capacity)
		return ASC_OK;
	struct diagram_edge *grown = realloc(t->sorted, 2 * n * sizeof *grown);
	if (!grown)
		return asc_err_nomem(e);
	t->sorted = grown;
	t->sorted_capacity = 2 * n;
	return ASC_OK;
}

static enum asc_status add_rest(struct turn *t, uint32_t node, uint16_t pick, struct asc_err *e)
{
	if (t->n_rests == t->rest_capacity &&
	    !array_room(&t->rests, t->n_rests, &t->rest_capacity, sizeof *t->rests))
		return asc_err_nomem(e);
	/* A rest is about an edge of the turned diagram: the same limit bounds the time. */
	if (t->n_rests == DIAGRAM_MAX_EDGES)
		return asc_err_set(e, ASC_LIMIT, "more than %d steps", DIAGRAM_MAX_EDGES);
	t->rests[t->n_rests++] = (struct rest){node, pick};
	return ASC_OK;
}

/* ---- taking levels out ---- */

/* Sorts the rests of the children of `own` by pick and then by the edge that leads there; t->ends
 * says where those of a pick end. */
static enum asc_status sort_rests(struct turn *t, const struct diagram_node *own, size_t level,
				  struct asc_err *e)
{
	const struct diagram_edge *edges = t->cut.edges + own->first;
	uint32_t total = 0;

	for (size_t i = 0; i < own->n; i++) {
		const struct fate *f = &t->fates[edges[i].child];
		for (size_t k = 0; k < f->n; k++)
			t->ends[t->rests[f->first + k].pick]++;
	}
	/* Sorted by counting: picks are small numbers, and the order of edges within a pick is
	 * kept. */
	for (size_t p = 0; p < t->n_picks[level]; p++) {
		const uint32_t n = t->ends[p];
		t->ends[p] = total; /* start of each pick; moves by one with each rest */
		total += n;
	}
	const enum asc_status st = reserve_sorted(t, total, e);
	for (size_t i = 0; !st && i < own->n; i++) {
		const struct fate *f = &t->fates[edges[i].child];
		for (size_t k = 0; k < f->n; k++) {
			const struct rest *r = &t->rests[f->first + k];
			t->sorted[t->ends[r->pick]++] =
				(struct diagram_edge){0, r->node, edges[i].pick};
		}
	}
	return st;
}

/* Makes the rests of a node above the level. */
static enum asc_status join_rests(struct turn *t, const struct diagram_node *own, size_t level,
				  struct asc_err *e)
{
	enum asc_status st = sort_rests(t, own, level, e);
	uint32_t node, start = 0;

	for (size_t p = 0; !st && p < t->n_picks[level]; p++) {
		const uint32_t n = t->ends[p] - start;
		if (n == 0)
			continue;
		st = diagram_add(&t->cut, own->level, t->sorted + start, n, &node, e);
		if (!st)
			st = add_rest(t, node, (uint16_t)p, e);
		start += n;
	}
	/* The next node counts from zero. */
	memset(t->ends, 0, t->n_picks[level] * sizeof *t->ends);
	return st;
}

/* Lists the nodes that are left of a node once the level is picked: t->fates[of].first and n. */
static enum asc_status take_out(struct turn *t, uint32_t of, size_t level, struct asc_err *e)
{
	const struct diagram_node own = t->cut.nodes[of];
	enum asc_status st = reserve_fates(t, e);

	/* Every node has a rest, so none means that it was not made yet. */
	if (st || t->fates[of].n > 0)
		return st;
	/* `own` is a copy: what is made for the children may move the array of nodes. */
	for (size_t i = 0; !st && own.level != level && i < own.n; i++)
		st = take_out(t, t->cut.edges[own.first + i].child, level, e);
	/* Read after the children are done: their rests lie in the same array, and a node's rests
	 * are one range. */
	const size_t first = t->n_rests;
	for (size_t i = 0; !st && own.level == level && i < own.n; i++) {
		const struct diagram_edge *edge = &t->cut.edges[own.first + i];
		st = add_rest(t, edge->child, edge->pick, e);
	}
	if (!st && own.level != level)
		st = join_rests(t, &own, level, e);
	t->fates[of].first = (uint32_t)first;
	t->fates[of].n = (uint32_t)(t->n_rests - first);
	return st;
}

/* ---- the new order ---- */

static enum asc_status turn_node(struct turn *t, uint32_t of, size_t depth, uint32_t *node,
				 struct asc_err *e);

static enum asc_status turn_rests(struct turn *t, uint32_t of, size_t depth, uint32_t *node,
				  struct asc_err *e)
{
	const struct fate f = t->fates[of];
	struct diagram_edge *edges = malloc((f.n + 1) * sizeof *edges);
	enum asc_status st = ASC_OK;

	if (!edges)
		return asc_err_nomem(e);
	for (size_t i = 0; !st && i < f.n; i++) {
		/* A copy, like `f`: turning a rest may move the arrays. */
		const struct rest r = t->rests[f.first + i];
		edges[i].pick = r.pick;
		st = turn_node(t, r.node, depth + 1, &edges[i].child, e);
	}
	if (!st)
		st = diagram_add(t->out, depth, edges, f.n, node, e);
	free(edges);
	return st;
}

static enum asc_status turn_node(struct turn *t, uint32_t of, size_t depth, uint32_t *node,
				 struct asc_err *e)
{
	*node = DIAGRAM_END;
	if (of == DIAGRAM_END)
		return ASC_OK;
	enum asc_status st = take_out(t, of, t->from[depth], e);
	if (st)
		return st;
	/* The rest of `of` depends on it alone: its depth is the number of levels taken out. */
	*node = t->fates[of].turned;
	if (*node != DIAGRAM_END)
		return ASC_OK;
	st = turn_rests(t, of, depth, node, e);
	t->fates[of].turned = *node;
	return st;
}

static enum asc_status count_picks(struct turn *t, const struct diagram *d, struct asc_err *e)
{
	size_t most = 0;

	for (size_t i = 1; i < d->n_nodes; i++) {
		const struct diagram_node *node = &d->nodes[i];
		/* Edges are ascending: the last one has the largest pick. */
		const size_t n = d->edges[node->first + node->n - 1].pick + (size_t)1;
		if (n > t->n_picks[node->level])
			t->n_picks[node->level] = n;
		most = n > most ? n : most;
	}
	t->ends = calloc(most + 1, sizeof *t->ends);
	return t->ends ? ASC_OK : asc_err_nomem(e);
}

static void turn_fini(struct turn *t)
{
	diagram_fini(&t->cut);
	free(t->fates);
	free(t->rests);
	free(t->sorted);
	free(t->ends);
}

enum asc_status diagram_reorder(const struct diagram *d, const size_t *from, struct diagram *out,
				struct asc_err *e)
{
	struct turn t = {.out = out, .from = from};
	enum asc_status st = diagram_init(out, d->levels, e);

	if (!st)
		st = count_picks(&t, d, e);
	if (!st && d->root != DIAGRAM_NONE)
		st = copy_diagram(d, &t.cut, e);
	if (!st && d->root != DIAGRAM_NONE)
		st = turn_node(&t, d->root, 0, &out->root, e);
	turn_fini(&t);
	if (st)
		diagram_fini(out);
	return st;
}
