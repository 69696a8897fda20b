/* The parts of making a space that do not depend on where its configurations come from. Private to
 * tuner/workload/space/space*.c. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_NEW_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_NEW_H

#include "tuner/workload/space/diagram.h"
#include "tuner/workload/space/space_core.h"

/* Copies parameters and conditions; leaves the diagram to be made. On failure *out is NULL. */
enum asc_status space_start(const struct space_spec *spec, struct space **out, struct asc_err *e);

/* Completes a space with a diagram and gives it to the caller; on failure frees it. */
enum asc_status space_finish(struct space *s, struct space **out, struct asc_err *e);

/* Finds the default configuration when the space is made: *index is SPACE_NONE when the space is
 * empty. */
enum asc_status space_find_default(const struct space *s, uint64_t *index, struct asc_err *e);

/* Limits of making one diagram: a few seconds, counted in values tried on partial configurations,
 * where many operations count as several; and bytes. */
#define SPACE_BUILD_TRIES (UINT64_C(1) << 25)
#define SPACE_BUILD_BYTES ((size_t)160 << 20)

/* Makes the diagram without the rules whose `skip` is true; NULL: with all. *tries is the
 * number of tries allowed, and becomes the number left. order[level] becomes the parameter of each
 * level. ASC_LIMIT names the condition that takes too many tries, bytes or nodes. */
enum asc_status space_build(const struct space *s, const bool *skip, uint64_t *tries,
			    struct diagram *out, size_t *order, struct asc_err *e);

#endif
