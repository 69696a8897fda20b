/* The answer of a run, which is that of the database. */
#ifndef ASCTUNE_TUNE_ANSWER_H
#define ASCTUNE_TUNE_ANSWER_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/result/objective.h"

struct impl_searches;
struct recorder;
struct loop_options;
struct loop_summary;

/* Sets the summary's answer to the recorded one, by an objective, for the run's device, problem and
 * cache policy: best, how sure, finalists, and default and baseline as they were in the same
 * rounds. Times of other moments stay `recorded`. */
enum asc_status answer_take(struct recorder *j, const struct loop_options *o, enum objective by,
			    const struct impl_searches *searches, struct loop_summary *out,
			    struct asc_err *e);

/* True for a configuration that is asked for. */
typedef bool answer_has_fn(const void *user, const char *implementation, const char *config_key);

/* Sets *all: whether `has` is true for each configuration that may be as fast as an answer, itself
 * among them, as its row (struct best_row) lists them in ties_json. A text that cannot be read, of
 * a damaged database, has none. */
enum asc_status answer_has_ties(const char *ties_json, answer_has_fn *has, const void *user,
				bool *all, struct asc_err *e);

#endif
