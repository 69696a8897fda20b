/* The answer of a run, which is that of the database. */
#ifndef ASCTUNE_TUNE_ANSWER_H
#define ASCTUNE_TUNE_ANSWER_H

#include "tuner/base/err.h"

struct impl_searches;
struct recorder;
struct loop_options;
struct loop_summary;

/* Sets the summary's answer to the recorded one for the run's device, problem and cache policy:
 * best, how sure, finalists, and default and baseline as they were in the same rounds. Times of
 * other moments stay `recorded`. */
enum asc_status answer_take(struct recorder *j, const struct loop_options *o,
			    const struct impl_searches *searches, struct loop_summary *out,
			    struct asc_err *e);

#endif
