#include "tuner/model/space_default.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = UINT8_MAX, FREE = UINT16_MAX };

/* The way through the diagram with the fewest differences from the presets. */
struct nearest {
	const struct space *space;
	uint16_t wanted[CONFIG_MAX_PARAMETERS]; /* by level */
	uint16_t fixed[CONFIG_MAX_PARAMETERS];  /* by level; FREE: not yet */
	uint8_t *before,
		*after; /* of each node: fewest differences on the way to it, and from it */
};

static uint8_t add(uint8_t a, uint8_t b)
{
	return a == FAR || b == FAR ? FAR : (uint8_t)(a + b);
}

/* What taking the edge costs: FAR when another pick is fixed. */
static uint8_t price(const struct nearest *q, size_t level, uint16_t pick)
{
	if (q->fixed[level] != FREE && q->fixed[level] != pick)
		return FAR;
	return pick != q->wanted[level];
}

/* Children come before their parents. */
static void measure(struct nearest *q)
{
	const struct diagram *d = &q->space->diagram;
	size_t n;

	memset(q->before, FAR, d->n_nodes);
	memset(q->after, FAR, d->n_nodes);
	q->after[DIAGRAM_END] = 0;
	q->before[d->root] = 0;
	for (uint32_t i = 1; i < d->n_nodes; i++) {
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		for (size_t k = 0; k < n; k++) {
			const uint8_t all = add(price(q, d->nodes[i].level, edges[k].pick),
						q->after[edges[k].child]);
			q->after[i] = all < q->after[i] ? all : q->after[i];
		}
	}
	for (uint32_t i = (uint32_t)d->n_nodes; i-- > 1;) {
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		for (size_t k = 0; k < n; k++) {
			uint8_t *child = &q->before[edges[k].child];
			const uint8_t all =
				add(price(q, d->nodes[i].level, edges[k].pick), q->before[i]);
			*child = all < *child ? all : *child;
		}
	}
}

/* Fixes the level's first value with which no more differences are needed than without. */
static void fix(struct nearest *q, size_t level)
{
	const struct diagram *d = &q->space->diagram;
	const uint8_t fewest = q->after[d->root];
	uint16_t first = FREE;

	for (uint32_t i = 1; i < d->n_nodes; i++) {
		size_t n;
		const struct diagram_edge *edges = diagram_edges(d, i, &n);
		for (size_t k = 0; d->nodes[i].level == level && k < n; k++) {
			const uint8_t here = add(q->before[i], price(q, level, edges[k].pick));
			if (edges[k].pick < first && add(here, q->after[edges[k].child]) == fewest)
				first = edges[k].pick;
		}
	}
	q->fixed[level] = first;
}

static void find_nearest(struct nearest *q)
{
	size_t level_of[CONFIG_MAX_PARAMETERS];

	for (size_t i = 0; i < q->space->n; i++)
		level_of[q->space->order[i]] = i;
	for (size_t param = 0; param < q->space->n; param++) {
		measure(q);
		fix(q, level_of[param]);
	}
}

enum asc_status space_find_default(const struct space *s, uint64_t *index, struct asc_err *e)
{
	const struct diagram *d = &s->diagram;
	struct nearest q = {.space = s};

	*index = SPACE_BEGIN;
	if (d->root == DIAGRAM_NONE)
		return ASC_OK;
	for (size_t i = 0; i < s->n; i++) {
		const struct space_param *p = &s->params[s->order[i]];
		q.fixed[i] = FREE;
		space_pick(p, p->preset, &q.wanted[i]);
	}
	if (diagram_find(d, q.wanted, index))
		return ASC_OK;
	q.before = malloc(d->n_nodes);
	q.after = malloc(d->n_nodes);
	const bool ok = q.before && q.after;
	if (ok) {
		find_nearest(&q);
		diagram_find(d, q.fixed, index);
	}
	free(q.before);
	free(q.after);
	return ok ? ASC_OK : asc_err_nomem(e);
}

bool space_default(const struct space *s, uint64_t *index)
{
	*index = s->preset;
	return s->preset != SPACE_BEGIN;
}
