/* The rules of a space as one graph of operations, and what is known before any parameter is fixed.
 * Private to tuner/model/space*.c.
 *
 * The caller owns the storage: space_graph_init(), space_graph_fini(). The space is borrowed. */
#ifndef ASCTUNE_MODEL_SPACE_GRAPH_H
#define ASCTUNE_MODEL_SPACE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/expr_graph.h"
#include "tuner/model/space_core.h"

struct space_choice {    /* of a parameter: the values that meet the rules on it alone */
	uint16_t *picks; /* ascending */
	struct range *values;
	struct range *rests; /* of each: what it and the values after it lie in */
	size_t n;
};

struct space_root { /* what has to hold, of two parameters or more */
	uint32_t node;
	size_t rule; /* that it comes from */
};

struct space_graph {
	const struct space *space;
	struct expr_graph ops;
	uint64_t *needs;    /* of each node: the parameters that it reads, as bits */
	struct range *open; /* of each node: what it gives while no parameter is fixed */
	uint32_t *slots;    /* of each parameter: its node, or INTERN_NONE when no root reads it */
	struct space_choice choices[CONFIG_MAX_PARAMETERS];
	struct space_root *roots;
	size_t n_roots;
	bool empty; /* nothing can be valid */
};

/* `skip` says of each rule whether to leave it out; NULL: none. */
enum asc_status space_graph_init(struct space_graph *g, const struct space *s, const bool *skip,
				 struct asc_err *e);
void space_graph_fini(struct space_graph *g);

#endif
