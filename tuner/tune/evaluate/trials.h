/* The trials that an evaluator has, oldest first: which waits, which is built, measured or done,
 * and which has the result of another one's equal launch.
 *
 * Trials are borrowed from their owners until they are taken, cancelled or cleared. The caller owns
 * the storage: a zeroed struct trials has none; trials_clear(). */
#ifndef ASCTUNE_TUNE_EVALUATE_TRIALS_H
#define ASCTUNE_TUNE_EVALUATE_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/evaluate/launch_record.h"
#include "tuner/tune/evaluate/trial.h"

struct evaluator_problem;
struct pool;

enum { TRIALS_MAX_LATE = 8 };

struct trials {
	struct trial *list[TRIALS_MAX + TRIALS_MAX_LATE];
	size_t n;
	struct trial late[TRIALS_MAX_LATE];
	enum trial_purpose purpose; /* purpose of the trials submitted last */
	uint64_t orders;
	struct launch_record record; /* of this problem's searches, since the last rounds */
	/* Times of the results taken since trials_clear(): of the builds, of all that came after.
	 */
	int64_t build_ns, worker_ns;
};

/* Number of trials to have pending, so that compilers and worker are busy, and no more: what is
 * asked for later is asked for with more results. `by_turns`: a batch is built, then measured. */
size_t trials_wanted(const struct trials *q, size_t jobs, bool by_turns);

/* True while the trials submitted last are measured in rounds. */
bool trials_in_rounds(const struct trials *q);

size_t trials_count(const struct trials *q, enum trial_state state);

/* Finds the oldest trial in that state, or NULL. */
struct trial *trials_first(const struct trials *q, enum trial_state state);
struct trial *trials_find(const struct trials *q, enum trial_state state,
			  uint64_t id); /* NULL: none */

/* Takes a trial on: WAITING, or DONE when it cannot be built. ASC_LIMIT when there are too many. */
enum asc_status trials_add(struct trials *q, const struct evaluator_problem *p, struct trial *t,
			   struct asc_err *e);

/* A trial is BUILT: it stays so, to be measured, unless an equal launch is (EQUAL) or was (DONE).
 */
enum asc_status trials_take_built(struct trials *q, const struct evaluator_problem *p,
				  struct trial *t, struct asc_err *e);

/* Removes a trial that is not with a worker, and its build: true when it was there. */
bool trials_cancel(struct trials *q, struct trial *t, struct pool *pool);
void trials_clear(struct trials *q, struct pool *pool); /* removes all, and their builds */

/* Makes a trial DONE with `result`, whose part about the build is filled in, and so every trial
 * that waits for it; takes its contents. */
void trials_finish(struct trials *q, struct trial *t, struct result *result);

/* Adds a second result, a failure, of a trial of a search that was taken before, and of those with
 * the same launch; takes its contents. Lost when there is no place. */
void trials_add_late(struct trials *q, uint64_t id, struct result *result);

/* Gives the oldest result back to its owner; NULL when there is none. */
struct trial *trials_take(struct trials *q);

#endif
