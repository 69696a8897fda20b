/* Recorded results of one space as the history of a search in another. The caller owns the storage:
 * replay_history_init(), replay_history_fini(). */
#ifndef ASCTUNE_TUNE_REPLAY_REPLAY_HISTORY_H
#define ASCTUNE_TUNE_REPLAY_REPLAY_HISTORY_H

#include <stddef.h>

#include "tuner/base/err.h"

struct recorded;
struct space;
struct strategy_known;

struct replay_history {
	struct strategy_known *list; /* refers to `from` */
	size_t n;
};

/* Fills the history with the results of `from` that count in `space` (strategy_known_find()), in
 * the order of its parameters. ASC_INPUT when the two do not have the same parameters; values may
 * differ. *h is initialised, whatever comes of it. */
enum asc_status replay_history_init(struct replay_history *h, const struct recorded *from,
				    const struct space *space, struct asc_err *e);
void replay_history_fini(struct replay_history *h);

#endif
