#include "tuner/workload/space/space.h"

#include <stdlib.h>

#include "tuner/workload/space/space_core.h"

/* Walks a diagram whose levels are the parameters in the file's order. */
struct space_cursor {
	struct diagram turned;
	bool begun;
	size_t n;    /* levels */
	size_t walk; /* levels up to the last that has a choice anywhere */
	uint16_t picks[CONFIG_MAX_PARAMETERS];
	struct level { /* the edge taken, and the last of its node */
		const struct diagram_edge *at, *last;
	} levels[CONFIG_MAX_PARAMETERS], *lowest; /* levels that are walked */
};

/* Levels up to the last of more than one edge: what comes after is always the same. */
static size_t count_walked(const struct diagram *d)
{
	size_t edges[CONFIG_MAX_PARAMETERS + 1] = {0}, n = d->levels;

	/* Node 0 is the end, which has no edges. */
	for (size_t i = 1; i < d->n_nodes; i++)
		edges[d->nodes[i].level] += d->nodes[i].n;
	while (n > 0 && edges[n - 1] <= 1)
		n--;
	return n;
}

enum asc_status space_cursor_new(const struct space *s, struct space_cursor **out,
				 struct asc_err *e)
{
	struct space_cursor *c = calloc(1, sizeof *c);
	size_t from[CONFIG_MAX_PARAMETERS] = {0};

	if (!c)
		return asc_err_nomem(e);
	/* The inverse of the order: the level of each parameter. */
	for (size_t i = 0; i < s->n; i++)
		from[s->order[i]] = i;
	c->n = s->n;
	const enum asc_status st = diagram_reorder(&s->diagram, from, &c->turned, e);
	if (st) {
		space_cursor_free(c);
		return asc_err_wrap(e, "listing in the file's order");
	}
	c->walk = count_walked(&c->turned);
	c->lowest = &c->levels[c->walk > 0 ? c->walk - 1 : 0];
	*out = c;
	return ASC_OK;
}

void space_cursor_free(struct space_cursor *c)
{
	if (!c)
		return;
	diagram_fini(&c->turned);
	free(c);
}

/* Takes the first edge of `node` and of what follows. */
static void descend(struct space_cursor *c, uint32_t node, size_t from, size_t end)
{
	const struct diagram_node *nodes = c->turned.nodes;
	const struct diagram_edge *edges = c->turned.edges;

	for (size_t i = from; i < end; i++) {
		const struct diagram_edge *first = edges + nodes[node].first;
		c->levels[i] = (struct level){first, first + nodes[node].n - 1};
		c->picks[i] = first->pick;
		node = first->child;
	}
}

static const uint16_t *begin(struct space_cursor *c, size_t *changed)
{
	c->begun = true;
	*changed = 0;
	if (c->turned.root == DIAGRAM_NONE)
		return NULL;
	descend(c, c->turned.root, 0, c->n);
	return c->picks;
}

/* Moves on at the lowest level that has a further edge. */
static const uint16_t *climb(struct space_cursor *c, size_t *changed)
{
	size_t i = c->walk;

	while (i > 0) {
		struct level *l = &c->levels[--i];
		if (l->at == l->last)
			continue;
		*changed = i;
		c->picks[i] = (++l->at)->pick;
		descend(c, l->at->child, i + 1, c->walk);
		return c->picks;
	}
	return NULL;
}

const uint16_t *space_cursor_next(struct space_cursor *c, size_t *changed)
{
	struct level *lowest = c->lowest;

	if (!c->begun)
		return begin(c, changed);
	/* Most steps change the lowest level alone, and are done without a call. */
	if (lowest->at == lowest->last)
		return climb(c, changed);
	*changed = c->walk - 1;
	c->picks[c->walk - 1] = (++lowest->at)->pick;
	return c->picks;
}
