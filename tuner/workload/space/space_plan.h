/* The order in which a diagram fixes the parameters, and its plan: the nodes to evaluate and to
 * remember at each depth. Private to tuner/workload/space/space*.c.
 *
 * At depth d the parameters order[0 .. d-1] are fixed. A part of a rule is complete when all
 * that it reads is fixed; of the complete parts those are remembered that an incomplete one uses
 * directly. The caller owns the storage: space_plan_init(), space_plan_fini(). The graph is
 * borrowed. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_PLAN_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_PLAN_H

#include "tuner/workload/space/space_graph.h"

/* Chooses the order: order[depth] is the parameter that is fixed at that depth; room for all
 * parameters. How the rules connect the parameters decides, not the order of the file: parameters
 * that no rule connects come one after the other, and connected ones so that little has to be
 * remembered at each depth. */
enum asc_status space_order(const struct space_graph *g, size_t *order, struct asc_err *e);

struct space_list { /* list of nodes or roots; borrowed from the plan */
	const uint32_t *items;
	size_t n;
};

struct space_depth {
	size_t param;              /* parameter that is fixed at this depth */
	struct space_list live;    /* nodes whose values are remembered on the way here */
	const uint64_t *live_uses; /* roots that use each of them, `words` for each */
	struct space_list before;  /* nodes to evaluate once the remembered ones are known */
	struct space_list after;   /* nodes to evaluate for each value of the parameter */
	struct space_list roots;   /* roots that read the parameter: numbers in graph->roots */
};

struct space_plan {
	const struct space_graph *graph;
	struct space_depth depths[CONFIG_MAX_PARAMETERS + 1]; /* at the last one all is fixed */
	size_t n;
	size_t words;   /* words of a set of roots */
	uint64_t *uses; /* roots that use each node, `words` for each */
	uint32_t *items;
	size_t n_items, item_capacity;
	uint64_t *live_uses;
	size_t n_live_uses, live_capacity;
};

enum asc_status space_plan_init(struct space_plan *p, const struct space_graph *g,
				const size_t *order, struct asc_err *e);
void space_plan_fini(struct space_plan *p);

#endif
