/* A profile as one small JSON object, for programs that change kernels: what such a program needs
 * to decide what to change comes first. */
#ifndef ASCTUNE_RESULTS_PROFILE_JSON_H
#define ASCTUNE_RESULTS_PROFILE_JSON_H

#include "tuner/base/err.h"
#include "tuner/result/profile.h"

struct json_writer;
struct profile_heading;

enum { PROFILE_JSON_BYTES = 2000 }; /* of the object, at most */

/* Writes the object, as a member `key` where that is not NULL. Figures have three significant
 * digits. What is not known is left out; long names and reasons are cut, and the least entries of
 * lists left out, until it fits. */
enum asc_status profile_json_write(struct json_writer *w, const char *key,
				   const struct profile_heading *h, const struct profile *p,
				   struct asc_err *e);

#endif
