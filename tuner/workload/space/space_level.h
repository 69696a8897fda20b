/* The states in which partial configurations of one depth leave the rules, each once. Private to
 * tuner/workload/space/space*.c.
 *
 * A state is a row of words: which roots are settled, the values of the depth's live nodes, and
 * their kinds. Nodes that only settled roots use are forgotten (0). The caller owns the storage:
 * `struct space_level l = {0}`, then space_level_fini(). */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_LEVEL_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_LEVEL_H

#include "tuner/base/intern.h"
#include "tuner/workload/space/space_plan.h"

struct space_level {
	const struct space_depth *depth;
	size_t words; /* words of a set of roots */
	size_t width; /* words of a state */
	uint64_t *states;
	size_t n, capacity; /* capacity in words */
	struct intern table;
};

/* Number of words of the widest state of the plan. */
size_t space_level_width(const struct space_plan *p);

/* Empties the level for states of the depth; keeps the memory. */
void space_level_start(struct space_level *l, const struct space_plan *p, size_t depth);
void space_level_fini(struct space_level *l);

/* Bytes that its states take. */
size_t space_level_bytes(const struct space_level *l);

/* Copies values of live nodes between ranges[] and a state of l->width words. */
void space_level_read(const struct space_level *l, const uint64_t *state, struct range *ranges);
void space_level_write(const struct space_level *l, uint64_t *state, const struct range *ranges);
void space_level_forget(const struct space_level *l, uint64_t *state, size_t live);

/* Finds the number of the state, which is copied when it is new. */
enum asc_status space_level_enter(struct space_level *l, const uint64_t *state, uint32_t *number,
				  struct asc_err *e);

/* Sets ASC_LIMIT: this level has too many states; names the condition that distinguishes most of
 * them. */
enum asc_status space_level_blame(const struct space_level *l, const struct space_graph *g,
				  struct asc_err *e);

#endif
