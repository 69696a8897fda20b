/* Facts of an artifact's launch that the workload leaves open and the compiler knows: an object of
 * JSON, each member optional, which completes a plan before the kernel is bound:
 *
 *   {"entry": NAME,              the kernel's name in the artifact
 *    "threads": N,               threads of a block, along x
 *    "shared": BYTES,            dynamic shared memory
 *    "cluster": [X, Y, Z],       blocks of a cluster, for each block of the workload's grid
 *    "spread": TRUTH,            blocks of a cluster are spread over processors
 *    "cooperative": TRUTH,       all blocks run at once
 *    "programmatic": TRUTH,      a launch may begin before the one in front of it has ended
 *    "prefers_shared": TRUTH,    a processor's first-level cache gives all it can to shared memory
 *    "scratch": {"bytes": N,     memory for each block of the grid, clusters counted,
 *                "align": N},    a power of two up to 256
 *    "parameters": [...],        what the kernel takes, in its order
 *    "options": {NAME: VALUE}}   options of the compiler that took effect; not of the launch
 *
 * A parameter is one of these; I numbers the workload's arguments, T is a dtype:
 *
 *   {"argument": I}              address of a tensor or of a scratch argument
 *   {"argument": I, "type": T}   a scalar, as a T
 *   {"descriptor": I, "box": [N, ...], "swizzle": NAME}
 *                                tensor map of a tensor; names as in workload files
 *   {"size": I, "axis": N, "type": T}, {"stride": I, "axis": N, "type": T}
 *                                size or stride, in elements, of a tensor
 *   {"scratch": true}            address of the scratch memory
 *   {"constant": N, "type": T}   a number */
#ifndef ASCTUNE_WORKLOAD_BINDING_PLAN_METADATA_H
#define ASCTUNE_WORKLOAD_BINDING_PLAN_METADATA_H

#include "tuner/base/err.h"

struct plan;

/* Completes a plan by such a text; "" completes nothing. Fails with ASC_INPUT for another text, an
 * unknown member, a number out of range, an index that names no argument of that kind, or more
 * parameters than PLAN_MAX_ARGUMENTS; the plan is not changed then. */
enum asc_status plan_complete(const char *text, struct plan *plan, struct asc_err *e);

#endif
