/* Makes the decision diagram of a space. Private to tuner/model/space*.c.
 *
 * From the first depth to the last, partial configurations that leave the rules in the same state
 * become one node: the same rules are settled and the same values are remembered for the others.
 * Ranges of what is still open settle a rule as soon as it can no longer fail, and end a branch as
 * soon as one can no longer hold. From the last depth to the first, nodes that nothing can follow
 * are dropped and equal ones joined. */
#ifndef ASCTUNE_MODEL_SPACE_BUILD_H
#define ASCTUNE_MODEL_SPACE_BUILD_H

#include "tuner/model/diagram.h"
#include "tuner/model/space_core.h"

/* What one diagram may take while it is made: a second, counted in values tried on partial
 * configurations, where many operations count as several, and so many bytes. */
#define SPACE_BUILD_TRIES (UINT64_C(1) << 22)
#define SPACE_BUILD_BYTES ((size_t)80 << 20)

/* `skip` says of each rule whether to leave it out; NULL: none. *tries is how many there may be,
 * and becomes how many are left. order[level] becomes the parameter of each level. ASC_LIMIT names
 * the condition that takes too many tries or bytes. */
enum asc_status space_build(const struct space *s, const bool *skip, uint64_t *tries,
			    struct diagram *out, size_t *order, struct asc_err *e);

#endif
