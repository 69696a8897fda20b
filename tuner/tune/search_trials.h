/* The trials of a search: asked of its strategies as budget and places allow, handed to an
 * evaluator, given back to the strategies with their results. Loops on a device and on recorded
 * results share this module.
 *
 * Time is the evaluator's. The caller owns the storage, zeroed, and sets the first part;
 * search_trials_init(), search_trials_fini(). Trials stay in place until they are told or
 * released. */
#ifndef ASCTUNE_TUNE_SEARCH_TRIALS_H
#define ASCTUNE_TUNE_SEARCH_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/search/patience.h"

struct evaluator;
struct evaluator_ops;
struct impl_searches;
struct trial;

struct search_trials {
	/* Set by the caller; all pointers are borrowed. */
	struct impl_searches *searches;
	const struct evaluator_ops *ops;
	struct evaluator *evaluator;
	uint64_t most;    /* budget in trials; 0: no limit */
	int64_t until_ns; /* time after which nothing is asked, but for the first; 0: no limit */
	struct patience patience; /* `wanted` alone; when it is over, nothing more is asked */

	struct trial *
		*list; /* TRIALS_MAX_ALL places, NULL until they are needed; id 0: a free one */
	size_t n;      /* places that are taken */
	uint64_t asked;
	uint64_t refused;      /* of them, refused by a planner: they are outside of the budget */
	int64_t started_ns;    /* time of search_trials_init(), where there is a limit */
	int64_t strategies_ns; /* time that strategies took (clock_now_ns()) */
};

enum asc_status search_trials_init(struct search_trials *s, struct asc_err *e);
void search_trials_fini(struct search_trials *s);

/* True when a time of the evaluator's has come; 0 never does. */
bool search_trials_past(const struct search_trials *s, int64_t until_ns);

/* Asks for the next trials, of one search: *n of them, to be submitted, have search, index, names
 * and config set. 0: no budget or no place is left, or every strategy waits for results; when no
 * trial is pending, the search is over. `out` has room for one in each place. */
enum asc_status search_trials_ask(struct search_trials *s, struct trial **out, size_t *n,
				  struct asc_err *e);

/* Finds the pending trial that was asked for first; NULL: none is pending. */
struct trial *search_trials_first(const struct search_trials *s);

/* Tells the strategy the result of a trial, with its score. */
enum asc_status search_trials_tell(struct search_trials *s, const struct trial *t, double score,
				   struct asc_err *e);

/* Frees the trial's place. */
void search_trials_release(struct search_trials *s, struct trial *t);

#endif
