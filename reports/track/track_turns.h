/* Configurations that began to pass or to fail, written for people, programs and pull requests:
 * those of one implementation with the same transition for the same reason together. */
#ifndef ASCTUNE_TRACK_TRACK_TURNS_H
#define ASCTUNE_TRACK_TRACK_TURNS_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct db_turn;
struct track_turn; /* one or several configurations with the same transition */

struct track_turns { /* zeroed before use; the caller's to track_turns_fini() */
	struct track_turn *list;
	size_t n, room;
};

/* Reads the transitions of the newest runs. */
enum asc_status track_turns_read(struct track_turns *t, struct db *d, struct asc_err *e);
void track_turns_fini(struct track_turns *t);

/* Writes a line for each group. */
void track_turns_write(const struct track_turns *t, struct buf *out);

/* Writes a table of at most 50 groups; nothing where there are none. */
void track_turns_write_markdown(const struct track_turns *t, struct buf *out);

/* Adds one transition: reasons that differ in their numbers only are equal. ASC_NOMEM. */
enum asc_status track_turns_add(struct track_turns *t, const struct db_turn *turn,
				struct asc_err *e);

/* Writes one JSON object, without a newline, for one configuration. */
void track_write_turn_json(const struct db_turn *t, struct buf *out);

#endif
