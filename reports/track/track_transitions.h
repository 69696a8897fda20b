/* Configurations that began to pass or to fail, written for people, programs and pull requests:
 * those of one implementation with the same transition for the same reason together. */
#ifndef ASCTUNE_TRACK_TRACK_TRANSITIONS_H
#define ASCTUNE_TRACK_TRACK_TRANSITIONS_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct db_transition;
struct track_groups;
struct track_transition; /* one or several configurations with the same transition */

struct track_transitions { /* zeroed before use; the caller's to track_transitions_fini() */
	struct track_transition *list;
	size_t n, room;
};

/* Reads the transitions of the newest runs. */
enum asc_status track_transitions_read(struct track_transitions *t, struct db *d,
				       struct asc_err *e);
void track_transitions_fini(struct track_transitions *t);

/* Drops the transitions of broken kernels, whose findings say how all of their configurations
 * failed. */
void track_transitions_drop_broken(struct track_transitions *t, const struct track_groups *g);

/* First transition of a group, which names what all of it have in common; *configurations: their
 * number. */
const struct db_transition *track_transitions_get(const struct track_transitions *t, size_t group,
						  size_t *configurations);

/* Writes a line for each group. */
void track_transitions_write(const struct track_transitions *t, struct buf *out);

/* Writes a table of at most 50 groups; nothing where there are none. */
void track_transitions_write_markdown(const struct track_transitions *t, struct buf *out);

/* Adds one transition: reasons that differ in their numbers only are equal. ASC_NOMEM. */
enum asc_status track_transitions_add(struct track_transitions *t,
				      const struct db_transition *transition, struct asc_err *e);

/* Writes one JSON object, without a newline, for one configuration. */
void track_write_transition_json(const struct db_transition *t, struct buf *out);

#endif
