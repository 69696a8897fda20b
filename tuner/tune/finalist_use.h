/* Resources that a finalist uses, by which one of several ties is chosen. */
#ifndef ASCTUNE_TUNE_FINALIST_USE_H
#define ASCTUNE_TUNE_FINALIST_USE_H

#include "tuner/base/err.h"

struct binding;
struct config;
struct finalist;
struct implementation;
struct trial;

/* Finds threads that find work, or the device's facts of the kernel; scratch and shared memory in
 * bytes. Fails as binding_plan() does where the trial's calls have no plans. */
enum asc_status finalist_use_find(const struct binding *b, const struct implementation *i,
				  const struct config *config, const struct trial *t,
				  struct finalist *out, struct asc_err *e);

#endif
