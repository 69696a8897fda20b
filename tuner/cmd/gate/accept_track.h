/* Regressions of histories that the commits of their change accept (acceptance.h): what a gate has
 * let through on purpose is no news for `asctune track`. */
#ifndef ASCTUNE_CMD_GATE_ACCEPT_TRACK_H
#define ASCTUNE_CMD_GATE_ACCEPT_TRACK_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/cmd/gate/acceptance.h"

struct db;
struct track_history;

struct accepted {
	const char *series;     /* its name; borrowed from the history */
	char *reason;           /* heap */
	char by[ACCEPTANCE_BY]; /* as in struct acceptance */
};

struct accepted_list { /* the caller's storage, zeroed; accept_track_fini() */
	struct accepted *list;
	size_t n, room;
};

/* Finds the regressions that fail and that a commit accepts, of those since the night before the
 * change: by its message, or by a line of the file that was not there then. Commits are those of
 * the repository of the workload's file; where that is not here, nothing is accepted. */
enum asc_status accept_track_find(struct db *d, const struct track_history *h,
				  struct accepted_list *out, struct asc_err *e);
void accept_track_fini(struct accepted_list *l);

#endif
