#include "tuner/model/space.h"

#include <stdlib.h>

#include "tuner/model/space_core.h"

/* Walks a diagram whose levels are the parameters in the file's order. */
struct space_cursor {
	struct diagram turned;
	bool begun, ended;
	size_t n;
	struct level { /* the edge taken, and the end of its node's edges */
		const struct diagram_edge *at, *end;
	} levels[CONFIG_MAX_PARAMETERS];
	uint16_t picks[CONFIG_MAX_PARAMETERS];
};

enum asc_status space_cursor_new(const struct space *s, struct space_cursor **out,
				 struct asc_err *e)
{
	struct space_cursor *c = calloc(1, sizeof *c);
	size_t from[CONFIG_MAX_PARAMETERS] = {0};

	if (!c)
		return asc_err_nomem(e);
	for (size_t i = 0; i < s->n; i++)
		from[s->order[i]] = i;
	c->n = s->n;
	const enum asc_status st = diagram_turn(&s->diagram, from, &c->turned, e);
	if (st) {
		space_cursor_free(c);
		return asc_err_wrap(e, "listing in the file's order");
	}
	c->ended = c->turned.root == DIAGRAM_NONE;
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
static inline void descend(struct space_cursor *c, uint32_t node, size_t from)
{
	const struct diagram_node *nodes = c->turned.nodes;
	const struct diagram_edge *edges = c->turned.edges;

	for (size_t i = from; i < c->n; i++) {
		const struct diagram_edge *first = edges + nodes[node].first;
		c->levels[i] = (struct level){first, first + nodes[node].n};
		c->picks[i] = first->pick;
		node = first->child;
	}
}

const uint16_t *space_cursor_next(struct space_cursor *c, size_t *changed)
{
	size_t i = c->begun ? c->n : 0;

	if (c->ended)
		return NULL;
	while (i > 0 && ++c->levels[i - 1].at == c->levels[i - 1].end)
		i--;
	c->ended = c->begun && i == 0;
	if (c->ended)
		return NULL;
	*changed = i > 0 ? i - 1 : 0;
	if (i > 0)
		c->picks[i - 1] = c->levels[i - 1].at->pick;
	descend(c, i > 0 ? c->levels[i - 1].at->child : c->turned.root, i);
	c->begun = true;
	return c->picks;
}
