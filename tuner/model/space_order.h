/* In which order a diagram fixes the parameters. Private to tuner/model/space*.c.
 *
 * What decides is how the rules connect them, not how the file lists them: parameters that no rule
 * connects come one after the other, and among connected ones an order is sought in which little
 * has to be remembered at each depth. */
#ifndef ASCTUNE_MODEL_SPACE_ORDER_H
#define ASCTUNE_MODEL_SPACE_ORDER_H

#include "tuner/model/space_graph.h"

/* order[depth] is the parameter that is fixed there; room for all parameters. */
enum asc_status space_order(const struct space_graph *g, size_t *order, struct asc_err *e);

#endif
