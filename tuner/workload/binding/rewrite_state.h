/* The state of an implementation's rewrites on a bound problem: applied or not, and the condition
 * and the limit of the grid that follow from it. */
#ifndef ASCTUNE_WORKLOAD_BINDING_REWRITE_STATE_H
#define ASCTUNE_WORKLOAD_BINDING_REWRITE_STATE_H

#include "tuner/workload/binding/binding.h"
#include "tuner/workload/rewrite.h"

struct buf;

enum rewrite_state {
	REWRITE_APPLIED,
	REWRITE_UNASKED, /* this class of device does not ask for it */
	REWRITE_OFF      /* the user has switched it off */
};

enum rewrite_state binding_rewrite_state(const struct binding *b, const struct rewrite_use *u);

/* Prints the condition on a rewrite's pair of parameters: equality, or the applied one. */
void binding_print_condition(const struct binding *b, const struct implementation *i,
			     const struct rewrite_use *u, struct buf *out);

/* True when a grid of any size is folded to as many blocks as a launch may have. */
bool binding_folds_grid(const struct binding *b, const struct implementation *i);

#endif
