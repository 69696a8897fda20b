/* A device's limits for an implementation: conditions of its space, the configurations that they
 * leave out, and the places of a configuration's buffers. A binding without limits has none of
 * this. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_LIMITS_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct binding;
struct buf;
struct config;
struct implementation;

/* A limit, and the number of configurations that it concerns in the space of the workload's own
 * conditions. */
struct limit_effect {
	char *reason;
	uint64_t configurations;
	bool warns; /* the configurations stay, and run otherwise than asked for */
};

/* Finds the limits that leave out or concern at least one configuration. *out is a heap array of
 * *n, for limit_effects_free(). */
enum asc_status binding_limit_effects(const struct binding *b, const struct implementation *i,
				      struct limit_effect **out, size_t *n, struct asc_err *e);
void limit_effects_free(struct limit_effect *effects, size_t n);

/* Sets *refused when the device refuses every configuration: an element type that the front end
 * does not know, or buffers that depend on no parameter and do not fit. `reason` says which. */
enum asc_status binding_refused(const struct binding *b, const struct implementation *i,
				bool *refused, char *reason, size_t size, struct asc_err *e);

/* Appends lines: for each memory space the bytes that `c` needs and the space has, the places of
 * its tiles, and the blocks that a multiprocessor holds. *fits says whether `c` is valid otherwise;
 * it becomes false when tiles cannot be placed. */
enum asc_status binding_explain_limits(const struct binding *b, const struct implementation *i,
				       const struct config *c, bool *fits, struct buf *out,
				       struct asc_err *e);

#endif
