/* Facts of an artifact's launch that the workload leaves open and the compiler knows: an object of
 * JSON, each member optional, which completes a plan before the kernel is bound:
 *
 *   {"block": [X, Y, Z],         threads of a block
 *    "shared": BYTES,            dynamic shared memory
 *    "scratch": [BYTES, ...],    buffers that stand behind the workload's arguments
 *    "arguments": [INDEX, ...]}  the arguments that the kernel takes, in its order: of the
 *                                workload's, then of the scratch buffers; each at most once */
#ifndef ASCTUNE_BINDING_PLAN_METADATA_H
#define ASCTUNE_BINDING_PLAN_METADATA_H

#include "tuner/base/err.h"

struct plan;

/* Completes a plan by such a text; "" completes nothing. Fails with ASC_INPUT for another text, an
 * unknown member, a number out of range, an index that names no argument or one twice, or more
 * arguments than WORKLOAD_MAX_ARGUMENTS; the plan is not changed then. */
enum asc_status plan_complete(const char *text, struct plan *plan, struct asc_err *e);

#endif
