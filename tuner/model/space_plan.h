/* What is worked out at which depth of a diagram, and what has to be remembered between depths.
 * Private to tuner/model/space*.c.
 *
 * At depth d the parameters order[0 .. d-1] are fixed. A part of a rule is complete when all that
 * it reads is fixed; of the complete parts those are remembered that an incomplete one uses
 * directly. The caller owns the storage: space_plan_init(), space_plan_fini(). The graph is
 * borrowed. */
#ifndef ASCTUNE_MODEL_SPACE_PLAN_H
#define ASCTUNE_MODEL_SPACE_PLAN_H

#include "tuner/model/space_graph.h"

struct space_list { /* of nodes or roots; borrowed from the plan */
	const uint32_t *items;
	size_t n;
};

struct space_depth {
	size_t param;              /* what is fixed here */
	struct space_list live;    /* nodes whose values are remembered on the way here */
	const uint64_t *live_uses; /* by which roots, `words` for each of them */
	struct space_list before;  /* nodes to work out once that is known */
	struct space_list after;   /* nodes to work out for each value of the parameter */
	struct space_list roots;   /* that read the parameter: numbers in graph->roots */
};

struct space_plan {
	const struct space_graph *graph;
	struct space_depth depths[CONFIG_MAX_PARAMETERS + 1]; /* the last: all is fixed */
	size_t n;
	size_t words;   /* of a set of roots */
	uint64_t *uses; /* of each node: by which roots, `words` for each */
	uint32_t *items;
	size_t n_items, item_capacity;
	uint64_t *live_uses;
	size_t n_live_uses, live_capacity;
};

enum asc_status space_plan_init(struct space_plan *p, const struct space_graph *g,
				const size_t *order, struct asc_err *e);
void space_plan_fini(struct space_plan *p);

#endif
