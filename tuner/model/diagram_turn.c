#include "tuner/model/diagram.h"

#include <stdlib.h>
#include <string.h>

/* A node of the new order stands for the rows that are left once the first new levels are picked.
 * That set is held as a node in the old order, with those levels taken out: `cut` holds the old
 * nodes and all that arise from them. Taking a level out below the top copies what lies above it;
 * equal copies are one node, and what was taken out of a node once is remembered. */
struct turn {
	struct diagram cut;
	struct diagram *out;
	const size_t *from;
	size_t n_picks[DIAGRAM_MAX_LEVELS]; /* of each new level: one more than the largest */
	struct memo {                       /* what became of a node of `cut` */
		uint32_t node; /* of `cut` when a pick of a level was taken out, else of `out` */
		uint32_t pick; /* TURNED: the node was turned whole */
		uint32_t of;
	} * memos;
	size_t n_memos, capacity;
	struct intern memo_table;
};

enum { TURNED = UINT16_MAX + 1 };

static enum asc_status copy_diagram(const struct diagram *d, struct diagram *out, struct asc_err *e)
{
	uint32_t node;
	enum asc_status st = diagram_init(out, d->levels, e);

	/* Children come before parents, and the nodes are different: each keeps its number. */
	for (uint32_t i = 1; !st && i < d->n_nodes; i++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		st = diagram_add(out, d->nodes[i].level, edges, n, &node, e);
	}
	out->root = d->root;
	return st;
}

/* ---- what is remembered ---- */

static uint64_t memo_hash(uint32_t of, uint32_t pick)
{
	const uint64_t h = ((uint64_t)of << 17 | pick) * 0x9E3779B97F4A7C15U;

	return h ^ h >> 32;
}

struct memo_key {
	const struct turn *turn;
	uint32_t of, pick;
};

static bool is_memo(const void *user, uint32_t id)
{
	const struct memo_key *k = user;
	const struct memo *m = &k->turn->memos[id];

	return m->of == k->of && m->pick == k->pick;
}

static bool recall(const struct turn *t, uint32_t of, uint32_t pick, uint32_t *node)
{
	const struct memo_key key = {t, of, pick};
	const uint32_t id = intern_find(&t->memo_table, memo_hash(of, pick), is_memo, &key);

	if (id != INTERN_NONE)
		*node = t->memos[id].node;
	return id != INTERN_NONE;
}

static enum asc_status remember(struct turn *t, uint32_t of, uint32_t pick, uint32_t node,
				struct asc_err *e)
{
	if (t->n_memos == t->capacity) {
		const size_t capacity = t->capacity ? 2 * t->capacity : 256;
		struct memo *grown = realloc(t->memos, capacity * sizeof *grown);
		if (!grown)
			return asc_err_nomem(e);
		t->memos = grown;
		t->capacity = capacity;
	}
	if (t->n_memos == DIAGRAM_MAX_EDGES)
		return asc_err_set(e, ASC_LIMIT, "more than %d steps", DIAGRAM_MAX_EDGES);
	t->memos[t->n_memos] = (struct memo){node, pick, of};
	return intern_add(&t->memo_table, memo_hash(of, pick), (uint32_t)t->n_memos++)
		       ? ASC_OK
		       : asc_err_nomem(e);
}

/* ---- taking levels out ---- */

/* The rows of `of` that have `pick` at `level`, without that level. The level is the same for every
 * question about a node: the first in the new order that the node still has. */
static enum asc_status take_out(struct turn *t, uint32_t of, size_t level, uint16_t pick,
				uint32_t *node, struct asc_err *e)
{
	const size_t top = t->cut.nodes[of].level, n = t->cut.nodes[of].n;
	enum asc_status st = ASC_OK;
	size_t kept = 0;

	if (top == level) {
		const struct diagram_edge *edge = diagram_edge(&t->cut, of, pick);
		*node = edge ? edge->child : DIAGRAM_NONE;
		return ASC_OK;
	}
	if (recall(t, of, pick, node))
		return ASC_OK;
	struct diagram_edge *edges = malloc(n * sizeof *edges);
	if (!edges)
		return asc_err_nomem(e);
	for (size_t i = 0; !st && i < n; i++) {
		edges[kept] = t->cut.edges[t->cut.nodes[of].first + i];
		st = take_out(t, edges[kept].child, level, pick, &edges[kept].child, e);
		kept += edges[kept].child != DIAGRAM_NONE;
	}
	if (!st)
		st = diagram_add(&t->cut, top, edges, kept, node, e);
	if (!st)
		st = remember(t, of, pick, *node, e);
	free(edges);
	return st;
}

static size_t picks_of(const struct diagram *d, size_t level)
{
	size_t most = 0;

	for (size_t i = 1; i < d->n_nodes; i++) {
		const struct diagram_node *node = &d->nodes[i];
		if (node->level == level && d->edges[node->first + node->n - 1].pick >= most)
			most = d->edges[node->first + node->n - 1].pick + (size_t)1;
	}
	return most;
}

static enum asc_status turn_node(struct turn *t, uint32_t of, size_t depth, uint32_t *node,
				 struct asc_err *e);

/* The edges of a turned node; `edges` has room for all picks of its level. */
static enum asc_status turn_edges(struct turn *t, uint32_t of, size_t depth,
				  struct diagram_edge *edges, size_t *n, struct asc_err *e)
{
	const struct diagram_node own = t->cut.nodes[of];
	const size_t level = t->from[depth];
	const size_t n_picks = own.level == level ? own.n : t->n_picks[depth];
	enum asc_status st = ASC_OK;

	for (size_t i = 0; !st && i < n_picks; i++) {
		const uint16_t pick =
			own.level == level ? t->cut.edges[own.first + i].pick : (uint16_t)i;
		uint32_t rest = DIAGRAM_NONE;
		st = take_out(t, of, level, pick, &rest, e);
		if (st || rest == DIAGRAM_NONE)
			continue;
		edges[*n].pick = pick;
		st = turn_node(t, rest, depth + 1, &edges[(*n)++].child, e);
	}
	return st;
}

static enum asc_status turn_node(struct turn *t, uint32_t of, size_t depth, uint32_t *node,
				 struct asc_err *e)
{
	size_t n = 0;

	*node = DIAGRAM_END;
	if (of == DIAGRAM_END || recall(t, of, TURNED, node))
		return ASC_OK;
	struct diagram_edge *edges = malloc(t->n_picks[depth] * sizeof *edges);
	if (!edges)
		return asc_err_nomem(e);
	enum asc_status st = turn_edges(t, of, depth, edges, &n, e);
	if (!st)
		st = diagram_add(t->out, depth, edges, n, node, e);
	if (!st)
		st = remember(t, of, TURNED, *node, e);
	free(edges);
	return st;
}

enum asc_status diagram_turn(const struct diagram *d, const size_t *from, struct diagram *out,
			     struct asc_err *e)
{
	struct turn t = {.out = out, .from = from};
	enum asc_status st = diagram_init(out, d->levels, e);

	for (size_t i = 0; i < d->levels; i++)
		t.n_picks[i] = picks_of(d, from[i]);
	if (!st && d->root != DIAGRAM_NONE)
		st = copy_diagram(d, &t.cut, e);
	if (!st && d->root != DIAGRAM_NONE)
		st = turn_node(&t, d->root, 0, &out->root, e);
	diagram_fini(&t.cut);
	free(t.memos);
	intern_fini(&t.memo_table);
	if (st)
		diagram_fini(out);
	return st;
}
