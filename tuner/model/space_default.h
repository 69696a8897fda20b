/* The default configuration of a space. Private to tuner/model/space*.c. */
#ifndef ASCTUNE_MODEL_SPACE_DEFAULT_H
#define ASCTUNE_MODEL_SPACE_DEFAULT_H

#include "tuner/model/space_core.h"

/* What space_default() gives, worked out when the space is made: *index is SPACE_BEGIN when the
 * space is empty. */
enum asc_status space_find_default(const struct space *s, uint64_t *index, struct asc_err *e);

#endif
