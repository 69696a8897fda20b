/* The decision diagram of a space, made depth by depth. At depth d the first d parameters of the
 * order are fixed; a node is the state in which a partial configuration leaves the conditions.
 *
 * 1. Order the parameters by how their conditions connect (space_order), and plan which parts of
 *    conditions are complete at each depth (space_plan).
 * 2. The first state: nothing is fixed. Conditions that always hold are settled; one that never
 *    holds makes the space empty (settle_first).
 * 3. For each state of a depth and each value of its parameter (expand): evaluate the parts that
 *    the value completes, over the ranges of parameters that are still open. A condition that can
 *    no longer hold ends the branch; one that can no longer fail is settled, and its parts leave
 *    the state. Equal states are one node: that is what keeps independent parameters from
 *    multiplying (space_level_enter).
 * 4. Reduce from the last depth up: nodes from which no configuration is complete go, and equal
 *    nodes are joined (raw_reduce). Then each node knows its number of completions (diagram_seal).
 *
 * Only two depths are held as states; finished depths are nodes and edges. Memory, nodes and tries
 * are bounded, and the condition that tells most states apart is named where they are exceeded. */
#include "tuner/workload/space/space_new.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/workload/space/space_level.h"
#include "tuner/workload/space/space_plan.h"

/* ---- the diagram as it is first made: with nodes that nothing follows, and equal ones ---- */

/* Nodes are added depth by depth, each followed by its edges. */
struct raw {
	struct raw_edge {
		uint32_t child; /* number within the next depth */
		uint16_t pick;
	} * edges;
	size_t n_edges, edge_capacity;
	size_t *firsts; /* first edge of each node */
	size_t n_nodes, node_capacity;
	size_t starts[DIAGRAM_MAX_LEVELS + 1]; /* first node of each depth */
};

/* Begins a depth: the nodes added next are its nodes. */
static void raw_start(struct raw *r, size_t depth)
{
	r->starts[depth] = r->n_nodes;
}

static enum asc_status raw_add_edge(struct raw *r, uint32_t child, uint16_t pick, struct asc_err *e)
{
	if (r->n_edges == r->edge_capacity &&
	    !array_room(&r->edges, r->n_edges, &r->edge_capacity, sizeof *r->edges))
		return asc_err_nomem(e);
	r->edges[r->n_edges++] = (struct raw_edge){child, pick};
	return ASC_OK;
}

static enum asc_status raw_add_node(struct raw *r, struct asc_err *e)
{
	if (r->n_nodes == r->node_capacity &&
	    !array_room(&r->firsts, r->n_nodes, &r->node_capacity, sizeof *r->firsts))
		return asc_err_nomem(e);
	r->firsts[r->n_nodes++] = r->n_edges;
	return ASC_OK;
}

static size_t end_of(const struct raw *r, size_t node)
{
	return node + 1 < r->n_nodes ? r->firsts[node + 1] : r->n_edges;
}

static size_t widest(const struct raw *r)
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
static enum asc_status reduce_depth(const struct raw *r, size_t depth, struct diagram *out,
				    uint32_t *nodes, struct diagram_edge *edges, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	for (size_t i = r->starts[depth]; !st && i < r->starts[depth + 1]; i++) {
		size_t n = 0;
		for (size_t k = r->firsts[i]; k < end_of(r, i); k++) {
			const uint32_t child = nodes[r->starts[depth + 1] + r->edges[k].child];
			/* A child from which nothing can be completed takes its edge with it. */
			if (child != DIAGRAM_NONE)
				edges[n++] = (struct diagram_edge){0, child, r->edges[k].pick};
		}
		st = diagram_add(out, depth, edges, n, &nodes[i], e);
	}
	return st;
}

/* Adds the nodes from which a configuration can be completed to an empty diagram of `depths`
 * levels: below the last depth is the one node that ends all, and raw_start() was called for it. */
static enum asc_status raw_reduce(const struct raw *r, size_t depths, struct diagram *out,
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
	/* From the last depth up: a node is known once its children are. */
	for (size_t depth = depths; !st && depth-- > 0;)
		st = reduce_depth(r, depth, out, nodes, edges, e);
	if (!st)
		out->root = nodes[0];
out:
	free(nodes);
	free(edges);
	return st;
}

enum { OPS_PER_TRY = 16 }; /* operations that count as one try of a value */

struct builder {
	const struct space_plan *plan;
	struct range *ranges;  /* range of each node of the graph at present */
	uint64_t *settled;     /* roots that are settled in the state in hand */
	uint64_t *next;        /* the next state, being made */
	uint32_t *ops, *roots; /* nodes to evaluate for each pick of the state in hand */
	size_t n_ops, n_roots;
	size_t n_open;                /* roots to check with the pick in hand */
	struct space_level levels[2]; /* states of this depth and the next, in turn */
	size_t depth;
	uint64_t tries; /* tries that are left */
	struct raw raw;
};

/* ---- one state, one pick ---- */

/* True when a root in `uses` is not settled. */
static bool is_open(const struct builder *b, const uint64_t *uses, const uint64_t *settled)
{
	for (size_t w = 0; w < b->plan->words; w++) {
		if (uses[w] & ~settled[w])
			return true;
	}
	return false;
}

/* True when an open condition uses the node: a settled one's parts need no evaluation. */
static bool is_needed(const struct builder *b, uint32_t node)
{
	return is_open(b, b->plan->uses + node * b->plan->words, b->settled);
}

/* Takes a state in hand: reads its values, evaluates what follows from them alone, and lists the
 * nodes and roots that each value of the parameter is to be tried with. */
static void take_state(struct builder *b, const uint64_t *state)
{
	const struct space_depth *d = &b->plan->depths[b->depth];

	memcpy(b->settled, state, b->plan->words * sizeof *b->settled);
	space_level_read(&b->levels[b->depth % 2], state, b->ranges);
	/* These nodes do not read the parameter: once for the state, not once for each value. */
	for (size_t i = 0; i < d->before.n; i++) {
		const uint32_t node = d->before.items[i];
		if (is_needed(b, node))
			expr_graph_apply(&b->plan->graph->ops, &node, 1, b->ranges);
	}
	b->n_ops = b->n_roots = 0;
	/* Nodes that only settled conditions use are left out here, outside of the loop over
	 * values. */
	for (size_t i = 0; i < d->after.n; i++) {
		if (is_needed(b, d->after.items[i]))
			b->ops[b->n_ops++] = d->after.items[i];
	}
	for (size_t i = 0; i < d->roots.n; i++) {
		const uint32_t r = d->roots.items[i];
		if (!(b->settled[r / 64] >> r % 64 & 1))
			b->roots[b->n_roots++] = r;
	}
}

/* Evaluates the nodes with a value, or with the range of several values: false when a rule can no
 * longer hold; else b->next gets the rules that are settled then. */
static bool try_value(struct builder *b, const struct range *value)
{
	const struct space_graph *g = b->plan->graph;
	const uint32_t slot = g->slots[b->plan->depths[b->depth].param];

	memcpy(b->next, b->settled, b->plan->words * sizeof *b->next);
	b->n_open = b->n_roots;
	/* No open condition reads the parameter: every value leads to the same state. */
	if (b->n_roots == 0)
		return true;
	b->ranges[slot] = *value;
	expr_graph_apply(&g->ops, b->ops, b->n_ops, b->ranges);
	for (size_t i = 0; i < b->n_roots; i++) {
		const uint32_t r = b->roots[i];
		const enum range_truth truth = range_truth(&b->ranges[g->roots[r].node]);
		/* A part that surely fails counts as never true: such a configuration is
		 * invalid. */
		if (truth == RANGE_NEVER)
			return false;
		if (truth == RANGE_OPEN)
			continue;
		b->next[r / 64] |= UINT64_C(1) << r % 64;
		b->n_open--;
	}
	return true;
}

/* Enters the state after a value into the next depth, without the values that only settled
 * conditions use: states that differ in them alone are equal. */
static enum asc_status enter_next(struct builder *b, uint32_t *child, struct asc_err *e)
{
	struct space_level *to = &b->levels[(b->depth + 1) % 2];
	const struct space_depth *d = &b->plan->depths[b->depth + 1];

	space_level_write(to, b->next, b->ranges);
	for (size_t i = 0; i < d->live.n; i++) {
		if (!is_open(b, d->live_uses + i * b->plan->words, b->next))
			space_level_forget(to, b->next, i);
	}
	return space_level_enter(to, b->next, child, e);
}

/* Adds the edges of the state in hand. */
static enum asc_status expand(struct builder *b, struct asc_err *e)
{
	const struct space_choice *c = &b->plan->graph->choices[b->plan->depths[b->depth].param];
	enum asc_status st = raw_add_node(&b->raw, e);
	uint32_t settled = INTERN_NONE; /* state after picks that leave nothing open */
	bool looked = false;

	for (size_t i = 0; !st && i < c->n; i++) {
		if (!try_value(b, &c->values[i])) {
			/* A range of all values that are left that can no longer hold leaves none
			 * of them to try. One look for each state: it costs as much as a try. */
			if (!looked && i + 2 < c->n && !try_value(b, &c->rests[i + 1]))
				break;
			looked = true;
			continue;
		}
		/* Values that leave nothing open lead to one state: it is looked up once. */
		uint32_t child = b->n_open == 0 ? settled : INTERN_NONE;
		if (child == INTERN_NONE)
			st = enter_next(b, &child, e);
		if (b->n_open == 0)
			settled = child;
		if (!st)
			st = raw_add_edge(&b->raw, child, c->picks[i], e);
	}
	/* Charged as if every value were tried: an upper bound is enough for a limit. */
	const uint64_t tries = c->n * (1 + b->n_ops / OPS_PER_TRY);
	b->tries -= b->tries < tries ? b->tries : tries;
	return st;
}

/* ASC_LIMIT when the diagram is too large or takes too long. */
static enum asc_status check_size(const struct builder *b, struct asc_err *e)
{
	const struct space_level *from = &b->levels[b->depth % 2];
	const struct space_level *to = &b->levels[(b->depth + 1) % 2];
	const size_t bytes = space_level_bytes(from) + space_level_bytes(to) +
			     b->raw.n_edges * sizeof *b->raw.edges +
			     b->raw.n_nodes * sizeof *b->raw.firsts;

	if (bytes <= SPACE_BUILD_BYTES && b->tries > 0 &&
	    b->raw.n_nodes + to->n <= DIAGRAM_MAX_NODES && b->raw.n_edges <= DIAGRAM_MAX_EDGES)
		return ASC_OK;
	/* The larger level is the one that grows: its states have more to tell apart. */
	return space_level_blame(to->n > from->n ? to : from, b->plan->graph, e);
}

/* Makes the states of the next depth from all of this one. */
static enum asc_status expand_depth(struct builder *b, struct asc_err *e)
{
	const struct space_level *from = &b->levels[b->depth % 2];
	struct space_level *to = &b->levels[(b->depth + 1) % 2];
	enum asc_status st = ASC_OK;

	space_level_start(to, b->plan, b->depth + 1);
	raw_start(&b->raw, b->depth);
	for (size_t i = 0; !st && i < from->n; i++) {
		take_state(b, from->states + i * from->width);
		st = expand(b, e);
		/* After each state, since one depth alone can exceed all memory. */
		if (!st)
			st = check_size(b, e);
	}
	return st;
}

/* ---- the whole ---- */

static bool builder_init(struct builder *b, const struct space_plan *p, uint64_t tries)
{
	const size_t n = p->graph->ops.n + 1;

	*b = (struct builder){.plan = p, .tries = tries};
	b->ranges = malloc(n * sizeof *b->ranges);
	b->settled = calloc(p->words, sizeof *b->settled);
	/* One buffer serves every depth, so it is as wide as the widest state. */
	b->next = calloc(space_level_width(p), sizeof *b->next);
	b->ops = malloc(n * sizeof *b->ops);
	b->roots = malloc((p->graph->n_roots + 1) * sizeof *b->roots);
	if (b->ranges && p->graph->ops.n > 0)
		memcpy(b->ranges, p->graph->open, p->graph->ops.n * sizeof *b->ranges);
	return b->ranges && b->settled && b->next && b->ops && b->roots;
}

static void builder_fini(struct builder *b)
{
	free(b->ranges);
	free(b->settled);
	free(b->next);
	free(b->ops);
	free(b->roots);
	space_level_fini(&b->levels[0]);
	space_level_fini(&b->levels[1]);
	free(b->raw.edges);
	free(b->raw.firsts);
}

/* Makes the state in which nothing is fixed: false when a rule cannot hold. */
static bool settle_first(struct builder *b)
{
	const struct space_graph *g = b->plan->graph;

	for (size_t r = 0; r < g->n_roots; r++) {
		const enum range_truth truth = range_truth(&g->open[g->roots[r].node]);
		if (truth == RANGE_NEVER)
			return false;
		if (truth == RANGE_ALWAYS)
			b->next[r / 64] |= UINT64_C(1) << r % 64;
	}
	return true;
}

static enum asc_status build(struct builder *b, struct diagram *out, struct asc_err *e)
{
	uint32_t first;
	enum asc_status st;

	space_level_start(&b->levels[0], b->plan, 0);
	/* An empty space: the diagram keeps the root that stands for no row. */
	if (!settle_first(b))
		return ASC_OK;
	st = space_level_enter(&b->levels[0], b->next, &first, e);
	for (; !st && b->depth < b->plan->n; b->depth++)
		st = expand_depth(b, e);
	/* Marks the end of the last depth's nodes, which raw_reduce() reads. */
	raw_start(&b->raw, b->plan->n);
	if (!st)
		st = raw_reduce(&b->raw, b->plan->n, out, e);
	diagram_seal(out);
	return st;
}

static enum asc_status build_planned(const struct space_graph *g, const size_t *order,
				     uint64_t *tries, struct diagram *out, struct asc_err *e)
{
	struct space_plan plan;
	struct builder b = {0};
	enum asc_status st = space_plan_init(&plan, g, order, e);

	if (!st)
		st = builder_init(&b, &plan, *tries) ? build(&b, out, e) : asc_err_nomem(e);
	*tries = b.tries;
	builder_fini(&b);
	space_plan_fini(&plan);
	return st;
}

enum asc_status space_build(const struct space *s, const bool *skip, uint64_t *tries,
			    struct diagram *out, size_t *order, struct asc_err *e)
{
	struct space_graph g;
	enum asc_status st = diagram_init(out, s->n, e);

	/* A space that is known to be empty needs an order, too: any will do. */
	for (size_t p = 0; p < s->n; p++)
		order[p] = p;
	if (st)
		return st;
	st = space_graph_init(&g, s, skip, e);
	if (!st && !g.empty)
		st = space_order(&g, order, e);
	if (!st && !g.empty)
		st = build_planned(&g, order, tries, out, e);
	space_graph_fini(&g);
	if (st)
		diagram_fini(out);
	return st;
}
