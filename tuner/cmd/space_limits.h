/* What `asctune space` says about a device's limits: which configurations they leave out or change,
 * and which implementations they refuse whole. */
#ifndef ASCTUNE_CMD_SPACE_LIMITS_H
#define ASCTUNE_CMD_SPACE_LIMITS_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct binding;
struct buf;
struct implementation;
struct json_writer;

/* Appends a line for each limit that matters; as JSON the members `pruned` and `warned`. */
enum asc_status space_limits_print(const struct binding *b, const struct implementation *i,
				   struct buf *out, struct asc_err *e);
enum asc_status space_limits_write(const struct binding *b, const struct implementation *i,
				   struct json_writer *w, struct asc_err *e);

/* Appends a JSON object that says why the device refuses every configuration. */
void space_refusal_write(const struct binding *b, const struct implementation *i,
			 const char *reason, struct buf *out);

#endif
