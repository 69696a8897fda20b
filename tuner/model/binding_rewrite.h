/* The rewrites of an implementation that is bound to a device: which are applied, what they do to
 * the space and the launch, and what they did to one configuration. */
#ifndef ASCTUNE_MODEL_BINDING_REWRITE_H
#define ASCTUNE_MODEL_BINDING_REWRITE_H

#include "tuner/model/binding.h"
#include "tuner/model/rewrite.h"

struct buf;
struct json_writer;

enum rewrite_state {
	REWRITE_APPLIED,
	REWRITE_UNASKED, /* this class of device does not ask for it */
	REWRITE_OFF      /* the user has switched it off */
};

enum rewrite_state binding_rewrite_state(const struct binding *b, const struct rewrite_use *u);

/* The condition on a rewrite's pair of parameters: that they are equal, or what is applied instead.
 */
void binding_print_condition(const struct binding *b, const struct implementation *i,
			     const struct rewrite_use *u, struct buf *out);

/* Is a grid of any size launched in no more blocks than there may be? */
bool binding_folds_grid(const struct binding *b, const struct implementation *i);

/* The grid of a configuration before any rewrite. */
enum asc_status binding_grid(const struct binding *b, const struct implementation *i,
			     const struct config *c, int64_t grid[3], struct asc_err *e);

/* One line for each rewrite of the implementation: what it changed, from what to what, or why it
 * did not. */
enum asc_status binding_explain_rewrites(const struct binding *b, const struct implementation *i,
					 const struct config *c, struct buf *out,
					 struct asc_err *e);

/* Those that made the configuration what it is, as a JSON array of {"rewrite", "before", "after"};
 * *n is how many. A failure leaves a shorter array. */
enum asc_status binding_write_rewrites(const struct binding *b, const struct implementation *i,
				       const struct config *c, const char *key,
				       struct json_writer *w, size_t *n, struct asc_err *e);

#define BINDING_UNCOUNTED UINT64_MAX

/* How many configurations of `space`, the implementation's here, would not be there without the
 * rewrite; 0 where it is not applied, BINDING_UNCOUNTED where the space without it is too large. */
enum asc_status binding_count_added(const struct binding *b, const struct implementation *i,
				    const struct space *space, const struct rewrite_ops *r,
				    uint64_t *out, struct asc_err *e);

#endif
