/* Configurations that began to pass or to fail, written for people, programs and pull requests:
 * those of one implementation with the same transition for the same reason together. */
#ifndef ASCTUNE_TRACK_TRACK_TRANSITIONS_H
#define ASCTUNE_TRACK_TRACK_TRANSITIONS_H

#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"

struct buf;
struct db;
struct track_groups;

/* A status transition: passed in the previous run and not in this one, or the other way round. A
 * configuration dropped as slow has passed. */
struct track_transition {
	const char *device_kind, *device_model, *workload, *problem, *cache_policy, *implementation;
	const char *config_key; /* configuration; NULL: the implementation as a whole */
	const char *was, *is;   /* status before and after: of a configuration that of its trial, of
				   an implementation "measured", "failed", "not run" */
	const char *reason;     /* reason of the newest trial, may be NULL */
};

struct track_transition_group; /* one or several configurations with the same transition */

struct track_transitions { /* zeroed before use; the caller's to track_transitions_fini() */
	struct track_transition_group *list;
	size_t n, room;
	struct arena texts;
};

typedef enum asc_status track_transition_fn(void *user, const struct track_transition *t,
					    struct asc_err *e);

/* Visits the transitions between the newest search of each problem on a device and the one before,
 * where both tried the same; only of searches that ended and are not simulated. An implementation
 * that took part without a trial of its own was resumed and says nothing. By device, workload,
 * problem, cache policy and implementation. Texts are borrowed during a visit. */
enum asc_status track_transitions_each(struct db *d, track_transition_fn *visit, void *user,
				       struct asc_err *e);

/* Reads the transitions of the newest runs, those with the same reason as one. */
enum asc_status track_transitions_read(struct track_transitions *t, struct db *d,
				       struct asc_err *e);
void track_transitions_fini(struct track_transitions *t);

/* Drops the transitions of broken kernels, whose findings say how all of their configurations
 * failed. */
void track_transitions_drop_broken(struct track_transitions *t, const struct track_groups *g);

/* First transition of a group, which names what all of it have in common; *configurations: their
 * number. */
const struct track_transition *track_transitions_get(const struct track_transitions *t,
						     size_t group, size_t *configurations);

/* Writes a line for each group. */
void track_transitions_write(const struct track_transitions *t, struct buf *out);

/* Writes a table of at most 50 groups; nothing where there are none. */
void track_transitions_write_markdown(const struct track_transitions *t, struct buf *out);

/* Adds one transition: reasons that differ in their numbers only are equal. ASC_NOMEM. */
enum asc_status track_transitions_add(struct track_transitions *t,
				      const struct track_transition *transition, struct asc_err *e);

/* Writes one JSON object, without a newline, for one configuration. */
void track_write_transition_json(const struct track_transition *t, struct buf *out);

#endif
