/* The rules of a space as one graph of operations, with what is known before any parameter is
 * fixed. Private to tuner/workload/space/space*.c.
 *
 * The caller owns the storage: space_graph_init(), space_graph_fini(). The space is borrowed. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_GRAPH_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/workload/expr/expr_graph.h"
#include "tuner/workload/space/space_core.h"

struct space_choice {    /* values of a parameter that meet the rules on it alone */
	uint16_t *picks; /* ascending */
	struct range *values;
	struct range *rests; /* range of each value and those after it */
	size_t n;
};

struct space_root { /* a root: a rule on two parameters or more */
	uint32_t node;
	size_t rule; /* rule that the root comes from */
};

struct space_graph {
	const struct space *space;
	struct expr_graph ops;
	uint64_t *needs;    /* parameters that each node reads, as bits */
	struct range *open; /* range of each node while no parameter is fixed */
	uint32_t *slots;    /* node of each parameter, or INTERN_NONE when no root reads it */
	struct space_choice choices[CONFIG_MAX_PARAMETERS];
	struct space_root *roots;
	size_t n_roots;
	bool empty; /* no configuration can be valid */
};

/* Makes the graph without the rules whose `skip` is true; NULL: with all. */
enum asc_status space_graph_init(struct space_graph *g, const struct space *s, const bool *skip,
				 struct asc_err *e);
void space_graph_fini(struct space_graph *g);

#endif
