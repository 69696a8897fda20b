/* The rewrites of a bound implementation: what they change in its space and in one configuration.
 */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_REWRITE_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_REWRITE_H

#include "tuner/workload/binding/rewrite_state.h"
#include "tuner/workload/rewrite.h"

struct buf;
struct json_writer;

/* Appends one line for each rewrite of the implementation: its change, from what to what, or why it
 * made none. */
enum asc_status binding_explain_rewrites(const struct binding *b, const struct implementation *i,
					 const struct config *c, struct buf *out,
					 struct asc_err *e);

/* Writes the rewrites that shaped the configuration, as a JSON array of {"rewrite", "before",
 * "after"}; *n is their number. A failure leaves a shorter array. */
enum asc_status binding_write_rewrites(const struct binding *b, const struct implementation *i,
				       const struct config *c, const char *key,
				       struct json_writer *w, size_t *n, struct asc_err *e);

#define BINDING_UNCOUNTED UINT64_MAX

/* Counts the configurations of `space`, that of the implementation, which would be missing without
 * the rewrite; 0 where it is not applied, BINDING_UNCOUNTED where the space without it is too
 * large. */
enum asc_status binding_count_added(const struct binding *b, const struct implementation *i,
				    const struct space *space, const struct rewrite_ops *r,
				    uint64_t *out, struct asc_err *e);

#endif
