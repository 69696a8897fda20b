/* What one configuration needs of a device's memory spaces, and where its tiles lie. Private to
 * tuner/model. */
#ifndef ASCTUNE_MODEL_MEMORY_PLAN_H
#define ASCTUNE_MODEL_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct binding;
struct implementation;

/* Is there a memory space in which tiles that depend on no parameter do not fit? */
enum asc_status memory_plan_refused(const struct binding *b, const struct implementation *i,
				    bool *refused, char *reason, size_t size, struct asc_err *e);

#endif
