#include "tuner/workload/space/space_plan.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

/* Nodes that a diagram evaluates and remembers at each depth, worked out once so that making the
 * diagram only walks lists.
 *
 * 1. Note of each node which roots use it (note_uses), and between which depths its value changes
 *    (note_spans): it begins to change when its first parameter is fixed, and is known when the
 *    last one is.
 * 2. For each depth list the nodes to remember (list_live): those that are known there and that an
 *    incomplete part uses directly. Their operands can be forgotten.
 * 3. List what to evaluate (want, list_wanted): `before` once for each state, for nodes that do not
 *    read the depth's parameter; `after` once for each of its values.
 * 4. List the roots that read the parameter: only their truth can change.
 *
 * All lists lie in one array, which moves as it grows: they get their places at the end
 * (place_lists). */

/* State of planning: facts of each node. */
struct planner {
	struct space_plan *plan;
	size_t *place;  /* depth at which each parameter is fixed */
	uint8_t *done;  /* number of parameters fixed when the node's value is known */
	uint8_t *first; /* number of parameters fixed when it begins to change */
	uint64_t *uses; /* roots that use it, in parts that are incomplete at the depth in hand */
	bool *wanted;
};

void space_plan_fini(struct space_plan *p)
{
	free(p->uses);
	free(p->items);
	free(p->live_uses);
}

static const struct expr_graph *ops_of(const struct planner *q)
{
	return &q->plan->graph->ops;
}

/* ---- lists grow in one array each; where it lies is known in the end only ---- */

static enum asc_status add_item(struct space_plan *p, uint32_t item, struct asc_err *e)
{
	if (p->n_items == p->item_capacity &&
	    !array_room(&p->items, p->n_items, &p->item_capacity, sizeof *p->items))
		return asc_err_nomem(e);
	p->items[p->n_items++] = item;
	return ASC_OK;
}

static enum asc_status add_uses(struct space_plan *p, const uint64_t *uses, struct asc_err *e)
{
	if (p->n_live_uses + p->words > p->live_capacity) {
		/* Doubled, so that copies cost no more than sets; room for 64 nodes at first. */
		const size_t capacity = 2 * p->live_capacity + 64 * p->words;
		uint64_t *grown = realloc(p->live_uses, capacity * sizeof *grown);
		if (!grown)
			return asc_err_nomem(e);
		p->live_uses = grown;
		p->live_capacity = capacity;
	}
	memcpy(p->live_uses + p->n_live_uses, uses, p->words * sizeof *uses);
	p->n_live_uses += p->words;
	return ASC_OK;
}

/* ---- which nodes ---- */

static bool is_used(const struct space_plan *p, uint32_t node)
{
	for (size_t w = 0; w < p->words; w++) {
		if (p->uses[node * p->words + w])
			return true;
	}
	return false;
}

static void add_set(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t w = 0; w < words; w++)
		to[w] |= from[w];
}

static void note_uses(struct space_plan *p)
{
	const struct space_graph *g = p->graph;

	for (size_t r = 0; r < g->n_roots; r++)
		p->uses[g->roots[r].node * p->words + r / 64] |= UINT64_C(1) << r % 64;
	/* Users come behind their operands: from the last node on each set is complete when it is
	 * handed down. */
	for (size_t i = g->ops.n; i-- > 0;) {
		uint32_t from[3];
		for (size_t k = expr_graph_operands(&g->ops.nodes[i], from); k-- > 0;)
			add_set(p->uses + from[k] * p->words, p->uses + i * p->words, p->words);
	}
}

static void note_spans(struct planner *q)
{
	for (size_t i = 0; i < ops_of(q)->n; i++) {
		q->first[i] = UINT8_MAX;
		for (uint64_t needs = q->plan->graph->needs[i]; needs; needs &= needs - 1) {
			const size_t place = q->place[__builtin_ctzll(needs)];
			q->done[i] = place + 1 > q->done[i] ? (uint8_t)(place + 1) : q->done[i];
			q->first[i] = place < q->first[i] ? (uint8_t)place : q->first[i];
		}
	}
}

/* Collects in q->uses, of each node that is complete at depth `d`, which roots use it in parts that
 * are not; q->wanted says whether there are any. */
static void find_live(struct planner *q, size_t d)
{
	const struct space_plan *p = q->plan;
	const size_t words = p->words;

	memset(q->uses, 0, ops_of(q)->n * words * sizeof *q->uses);
	memset(q->wanted, 0, ops_of(q)->n * sizeof *q->wanted);
	for (uint32_t i = 0; i < ops_of(q)->n; i++) {
		uint32_t from[3];
		if (q->done[i] <= d || !is_used(p, i))
			continue;
		for (size_t k = expr_graph_operands(&ops_of(q)->nodes[i], from); k-- > 0;) {
			/* Constants are known at every depth without being remembered. */
			if (p->graph->needs[from[k]] == 0 || q->done[from[k]] > d)
				continue;
			q->wanted[from[k]] = true;
			add_set(q->uses + from[k] * words, p->uses + i * words, words);
		}
	}
}

static enum asc_status list_live(struct planner *q, size_t d, struct asc_err *e)
{
	struct space_list *live = &q->plan->depths[d].live;
	enum asc_status st = ASC_OK;

	find_live(q, d);
	for (uint32_t i = 0; !st && i < ops_of(q)->n; i++) {
		if (!q->wanted[i])
			continue;
		live->n++;
		st = add_item(q->plan, i, e);
		if (!st)
			st = add_uses(q->plan, q->uses + i * q->plan->words, e);
	}
	return st;
}

/* Collects the operations that read the parameter, and the nodes that they need beside it which are
 * neither remembered nor unchanged since nothing was fixed. */
static void want(struct planner *q, size_t d)
{
	const struct expr_graph *ops = ops_of(q);
	const uint64_t own = UINT64_C(1) << q->plan->depths[d].param;

	for (uint32_t i = 0; i < ops->n; i++)
		q->wanted[i] = (q->plan->graph->needs[i] & own) && is_used(q->plan, i);
	/* From the last node on: what an operand needs in turn follows when the pass reaches it. */
	for (size_t i = ops->n; i-- > 0;) {
		uint32_t from[3];
		if (!q->wanted[i])
			continue;
		for (size_t k = expr_graph_operands(&ops->nodes[i], from); k-- > 0;)
			q->wanted[from[k]] = q->wanted[from[k]] ||
					     (q->done[from[k]] > d && q->first[from[k]] < d);
	}
}

static enum asc_status list_wanted(struct planner *q, size_t d, bool own, struct space_list *to,
				   struct asc_err *e)
{
	const uint64_t param = UINT64_C(1) << q->plan->depths[d].param;
	enum asc_status st = ASC_OK;

	for (uint32_t i = 0; !st && i < ops_of(q)->n; i++) {
		const bool reads = q->plan->graph->needs[i] & param;
		/* Constants and parameters are wanted as operands; they have their values without
		 * evaluation. */
		if (!q->wanted[i] || reads != own || ops_of(q)->nodes[i].kind < EXPR_GRAPH_APPLY)
			continue;
		to->n++;
		st = add_item(q->plan, i, e);
	}
	return st;
}

static enum asc_status list_roots(struct planner *q, size_t d, struct asc_err *e)
{
	const struct space_graph *g = q->plan->graph;
	enum asc_status st = ASC_OK;

	for (size_t r = 0; !st && r < g->n_roots; r++) {
		if (!(g->needs[g->roots[r].node] >> q->plan->depths[d].param & 1))
			continue;
		q->plan->depths[d].roots.n++;
		st = add_item(q->plan, (uint32_t)r, e);
	}
	return st;
}

static enum asc_status list_all(struct planner *q, struct asc_err *e)
{
	struct space_plan *p = q->plan;
	enum asc_status st = ASC_OK;

	for (size_t d = 0; !st && d < p->n; d++) {
		st = list_live(q, d, e);
		want(q, d);
		/* The lists follow one another in the order of place_lists(). */
		if (!st)
			st = list_wanted(q, d, false, &p->depths[d].before, e);
		if (!st)
			st = list_wanted(q, d, true, &p->depths[d].after, e);
		if (!st)
			st = list_roots(q, d, e);
	}
	return st;
}

/* Gives the lists their places, in the order in which they were made. */
static void place_lists(struct space_plan *p)
{
	const uint32_t *at = p->items;
	const uint64_t *uses = p->live_uses;

	for (size_t d = 0; d < p->n; d++) {
		struct space_depth *depth = &p->depths[d];
		struct space_list *lists[] = {&depth->live, &depth->before, &depth->after,
					      &depth->roots};
		for (size_t i = 0; i < 4; i++) {
			lists[i]->items = at;
			if (lists[i]->n > 0) /* without items there is no memory to count in */
				at += lists[i]->n;
		}
		depth->live_uses = uses;
		if (depth->live.n > 0)
			uses += depth->live.n * p->words;
	}
}

static enum asc_status plan_all(struct planner *q, const size_t *order, struct asc_err *e)
{
	struct space_plan *p = q->plan;

	if (!p->uses || !q->place || !q->done || !q->first || !q->uses || !q->wanted)
		return asc_err_nomem(e);
	for (size_t d = 0; d < p->n; d++) {
		p->depths[d].param = order[d];
		q->place[order[d]] = d;
	}
	note_uses(p);
	note_spans(q);
	const enum asc_status st = list_all(q, e);
	/* Lists have lengths alone until all of them are made: their array moves as it grows. */
	place_lists(p);
	return st;
}

enum asc_status space_plan_init(struct space_plan *p, const struct space_graph *g,
				const size_t *order, struct asc_err *e)
{
	const size_t n = g->ops.n + 1, words = g->n_roots / 64 + 1;

	*p = (struct space_plan){.graph = g, .n = g->space->n, .words = words};
	p->uses = calloc(n * words, sizeof *p->uses);
	struct planner q = {.plan = p,
			    .place = calloc(p->n + 1, sizeof *q.place),
			    .done = calloc(n, 1),
			    .first = calloc(n, 1),
			    .uses = calloc(n * words, sizeof *q.uses),
			    .wanted = calloc(n, sizeof *q.wanted)};
	const enum asc_status st = plan_all(&q, order, e);
	free(q.place);
	free(q.done);
	free(q.first);
	free(q.uses);
	free(q.wanted);
	return st;
}
