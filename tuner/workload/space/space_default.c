#include "tuner/workload/space/space_new.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE = UINT16_MAX };

/* Differences count before steps: more of these than all lists together have. */
#define DIFFERENCE (UINT64_C(1) << 32)
#define FAR        UINT64_MAX

/* The way through the diagram with the fewest differences from the values that are wanted. */
struct nearest {
	const struct space *space;
	uint16_t wanted[CONFIG_MAX_PARAMETERS]; /* by level */
	uint16_t fixed[CONFIG_MAX_PARAMETERS];  /* by level; FREE: not yet */
	bool steps; /* of ways with as many differences those with the fewest steps in the lists */
	uint64_t *before, *after; /* fewest differences on the way to each node, and from it */
	uint32_t *nodes; /* nodes that a way with the fewest differences may pass, ascending */
	size_t n;
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a == FAR || b == FAR ? FAR : a + b;
}

/* Cost of taking the edge: FAR when another pick is fixed. */
static uint64_t price(const struct nearest *q, size_t level, uint16_t pick)
{
	const uint16_t wanted = q->wanted[level];

	if (q->fixed[level] != FREE && q->fixed[level] != pick)
		return FAR;
	if (pick == wanted)
		return 0;
	return DIFFERENCE + (q->steps ? (uint64_t)abs(pick - wanted) : 0);
}

static void lessen(uint64_t *least, uint64_t other)
{
	*least = other < *least ? other : *least;
}

/* Children come before their parents. */
static void measure(struct nearest *q)
{
	const struct diagram *d = &q->space->diagram;
	size_t n;

	for (size_t i = 0; i < q->n; i++)
		q->before[q->nodes[i]] = q->after[q->nodes[i]] = FAR;
	q->before[d->root] = 0;
	for (size_t i = 0; i < q->n; i++) {
		const uint32_t node = q->nodes[i], level = d->nodes[node].level;
		const struct diagram_edge *edges = diagram_edges(d, node, &n);
		for (size_t k = 0; k < n; k++)
			lessen(&q->after[node],
			       add(price(q, level, edges[k].pick), q->after[edges[k].child]));
	}
	/* Parents before children this time: ways to a node add up from the root. */
	for (size_t i = q->n; i-- > 0;) {
		const uint32_t node = q->nodes[i], level = d->nodes[node].level;
		const struct diagram_edge *edges = diagram_edges(d, node, &n);
		for (size_t k = 0; k < n; k++)
			lessen(&q->before[edges[k].child],
			       add(price(q, level, edges[k].pick), q->before[node]));
	}
}

/* Drops the nodes that only longer ways pass. */
static void keep_nearest(struct nearest *q)
{
	const uint64_t fewest = q->after[q->space->diagram.root];
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		const uint32_t node = q->nodes[i];
		if (add(q->before[node], q->after[node]) == fewest)
			q->nodes[kept++] = node;
		else
			q->before[node] = q->after[node] = FAR;
	}
	q->n = kept;
}

/* Fixes the level's first value with which no more differences are needed than without. */
static void fix(struct nearest *q, size_t level)
{
	const struct diagram *d = &q->space->diagram;
	const uint64_t fewest = q->after[d->root];
	uint16_t first = FREE;

	for (size_t i = 0; i < q->n; i++) {
		const uint32_t node = q->nodes[i];
		size_t n;
		const struct diagram_edge *edges = diagram_edges(d, node, &n);
		/* Any node of this level that a nearest way passes may have the first value. */
		for (size_t k = 0; d->nodes[node].level == level && k < n; k++) {
			const uint64_t here = add(q->before[node], price(q, level, edges[k].pick));
			if (edges[k].pick < first && add(here, q->after[edges[k].child]) == fewest)
				first = edges[k].pick;
		}
	}
	q->fixed[level] = first;
}

static void find_nearest(struct nearest *q)
{
	size_t level_of[CONFIG_MAX_PARAMETERS];

	q->before[DIAGRAM_END] = q->after[DIAGRAM_END] = 0;
	for (uint32_t i = 1; i < q->space->diagram.n_nodes; i++)
		q->nodes[q->n++] = i;
	for (size_t i = 0; i < q->space->n; i++)
		level_of[q->space->order[i]] = i;
	/* In the order of the file, which the answer is defined by, not in the diagram's; each
	 * value that is fixed leaves fewer ways. */
	for (size_t param = 0; param < q->space->n; param++) {
		measure(q);
		keep_nearest(q);
		fix(q, level_of[param]);
	}
}

/* Finds the way and its index; q has what is wanted. */
static enum asc_status find_wanted(struct nearest *q, uint64_t *index, struct asc_err *e)
{
	const struct diagram *d = &q->space->diagram;

	for (size_t i = 0; i < q->space->n; i++)
		q->fixed[i] = FREE;
	/* The common case: the values are valid together. */
	if (diagram_find(d, q->wanted, index))
		return ASC_OK;
	q->before = malloc(d->n_nodes * sizeof *q->before);
	q->after = malloc(d->n_nodes * sizeof *q->after);
	q->nodes = malloc(d->n_nodes * sizeof *q->nodes);
	const bool ok = q->before && q->after && q->nodes;
	if (ok) {
		find_nearest(q);
		diagram_find(d, q->fixed, index);
	}
	free(q->before);
	free(q->after);
	free(q->nodes);
	return ok ? ASC_OK : asc_err_nomem(e);
}

enum asc_status space_find_default(const struct space *s, uint64_t *index, struct asc_err *e)
{
	struct nearest q = {.space = s};

	*index = SPACE_NONE;
	if (s->diagram.root == DIAGRAM_NONE)
		return ASC_OK;
	for (size_t i = 0; i < s->n; i++) {
		const struct space_param *p = &s->params[s->order[i]];

		space_pick(p, p->default_value, &q.wanted[i]);
	}
	return find_wanted(&q, index, e);
}

/* Distance of two values: of positive numbers that of their logarithms, since tiles and counts of
 * threads double from one to the next. A text is as far from any other. */
static double find_distance(struct value a, struct value b)
{
	const double x = value_as_real(a), y = value_as_real(b);

	if (value_equal(a, b))
		return 0;
	if (!isfinite(x) || !isfinite(y))
		return INFINITY;
	return x > 0 && y > 0 ? fabs(log(x / y)) : fabs(x - y);
}

/* Position of the value in a list that is nearest to another one: the first of equally near ones;
 * the default's where none is near. */
static uint16_t pick_nearest(const struct space_param *p, struct value v)
{
	double least = INFINITY;
	uint16_t pick = 0;

	space_pick(p, p->default_value, &pick);
	for (size_t i = 0; i < p->n; i++) {
		const double distance = find_distance(p->values[i], v);

		if (distance < least) {
			least = distance;
			pick = (uint16_t)i;
		}
	}
	return pick;
}

enum asc_status space_find_nearest(const struct space *s, const char *text, uint64_t *index,
				   struct asc_err *e)
{
	struct nearest q = {.space = s, .steps = true};

	*index = SPACE_NONE;
	if (s->diagram.root == DIAGRAM_NONE)
		return ASC_OK;
	for (size_t i = 0; i < s->n; i++) {
		const struct space_param *p = &s->params[s->order[i]];
		struct value v = p->default_value;

		(void)config_find_value(text, p->name, &v);
		q.wanted[i] = pick_nearest(p, v);
	}
	return find_wanted(&q, index, e);
}

bool space_default(const struct space *s, uint64_t *index)
{
	*index = s->default_index;
	return s->default_index != SPACE_NONE;
}
