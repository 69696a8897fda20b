/* The parts of making a space that do not depend on where its configurations come from. Private to
 * tuner/model/space*.c. */
#ifndef ASCTUNE_MODEL_SPACE_NEW_H
#define ASCTUNE_MODEL_SPACE_NEW_H

#include "tuner/model/space_core.h"

/* Copies parameters and conditions; the diagram is left to be made. On failure *out is NULL. */
enum asc_status space_start(const struct space_spec *spec, struct space **out, struct asc_err *e);

/* Completes a space with a diagram and gives it to the caller; on failure frees it. */
enum asc_status space_finish(struct space *s, struct space **out, struct asc_err *e);

#endif
