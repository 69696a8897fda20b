/* What a device's limits mean for an implementation: conditions of its space, what they leave out,
 * and where a configuration's buffers lie. A binding without limits has none of this. */
#ifndef ASCTUNE_MODEL_BINDING_LIMITS_H
#define ASCTUNE_MODEL_BINDING_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct binding;
struct buf;
struct config;
struct implementation;
struct placement_tile;

/* A limit, and how many configurations that meet the workload's own conditions it concerns. */
struct limit_effect {
	char *reason;
	uint64_t configurations;
	bool warns; /* they stay: they run otherwise than asked for */
};

/* The limits that leave out or concern at least one configuration. *out is a heap array of *n, for
 * limit_effects_free(). */
enum asc_status binding_limit_effects(const struct binding *b, const struct implementation *i,
				      struct limit_effect **out, size_t *n, struct asc_err *e);
void limit_effects_free(struct limit_effect *effects, size_t n);

/* Does the device refuse every configuration: an element type that the front end does not know, or
 * buffers that depend on no parameter and do not fit? `reason` says it in words. */
enum asc_status binding_refused(const struct binding *b, const struct implementation *i,
				bool *refused, char *reason, size_t size, struct asc_err *e);

/* Appends lines: for each memory space what `c` needs of how much, where its tiles lie, and how
 * many blocks a multiprocessor holds. *fits says whether `c` is valid otherwise; it becomes false
 * when tiles cannot be placed. */
enum asc_status binding_explain_limits(const struct binding *b, const struct implementation *i,
				       const struct config *c, bool *fits, struct buf *out,
				       struct asc_err *e);

#endif
