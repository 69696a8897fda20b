/* The order in which a diagram fixes the parameters. Private to tuner/workload/space/space*.c.
 *
 * It is chosen by how the rules connect them, not by how the file lists them: parameters that no
 * rule connects come one after the other, and among connected ones an order is sought in which
 * little has to be remembered at each depth. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_ORDER_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_ORDER_H

#include "tuner/workload/space/space_graph.h"

/* Chooses the order: order[depth] is the parameter that is fixed at that depth; room for all
 * parameters. */
enum asc_status space_order(const struct space_graph *g, size_t *order, struct asc_err *e);

#endif
