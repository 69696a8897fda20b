/* The end of a run: what is best is what the database says. */
#ifndef ASCTUNE_LOOP_ANSWER_H
#define ASCTUNE_LOOP_ANSWER_H

#include "tuner/base/err.h"

struct arms;
struct journal;
struct loop_options;
struct loop_summary;

/* Makes the recorded answer for the run's device, problem and cache policy the summary's: best, how
 * sure, finalists, and default and baseline as they were in the same rounds. What was measured in
 * other moments stays as `recorded`. */
enum asc_status answer_take(struct journal *j, const struct loop_options *o,
			    const struct arms *arms, struct loop_summary *out, struct asc_err *e);

#endif
