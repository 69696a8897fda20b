/* A side: a launch that another copy of a workload plans, on the tensors of a head.
 *
 * Two copies of a workload's file have kernels, constants, grids and an order of tensors of their
 * own. One process measures both on the tensors, the inputs and the reference of one copy, the
 * head; the side's plan then names the head's tensors. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_SIDE_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_SIDE_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct binding;
struct plan;

struct binding_side {
	const struct binding *binding;        /* of the copy; borrowed */
	size_t tensors[WORKLOAD_MAX_TENSORS]; /* place in the head of each of the copy's tensors */
	size_t n_head;                        /* tensors of the head */
};

/* Finds each tensor of the copy `own` among those of `head`, by its name. ASC_INPUT, "inputs
 * differ: ...", where one has a tensor that the other has not, or one of another role, type, shape
 * or place in memory. What the tensors are filled with is not looked at
 * (binding_print_difference()). */
enum asc_status binding_side_init(struct binding_side *s, const struct binding *head,
				  const struct binding *own, struct asc_err *e);

/* Has a plan of the copy name the head's tensors, once it is complete. */
void binding_side_take(const struct binding_side *s, struct plan *p);

#endif
