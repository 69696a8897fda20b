/* Numbers that InfiniOps gives its implementations on Ascend NPUs, by the operators of CANN that
 * they are made of: what `index` of an implementation has to be. */
#ifndef ASCTUNE_WORKLOAD_ACLNN_INDEX_H
#define ASCTUNE_WORKLOAD_ACLNN_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct implementation;

#define ACLNN_INDEX_SOURCE "InfiniTensor/InfiniOps@1ed8fb33 src/ascend"

/* Finds the number of an implementation of InfiniOps' operator (`operator_name` NULL: unknown)
 * whose calls are all operators of CANN; false where InfiniOps has none made of these. */
bool aclnn_index_find(const char *operator_name, const struct implementation *i, int64_t *index);

#endif
