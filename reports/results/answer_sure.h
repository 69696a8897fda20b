/* How sure an answer is, decided here and nowhere else.
 *
 * Where finals decide, their own judgement counts, as it was recorded, less what was withdrawn
 * since. Without finals the trials of the answer's run are compared, which were measured at
 * different moments: they can be clear or a tie only where no finals were asked for. An answer by
 * energy is a tie where the intervals of several reach down to that of the least. */
#ifndef ASCTUNE_RESULTS_ANSWER_SURE_H
#define ASCTUNE_RESULTS_ANSWER_SURE_H

#include "tuner/base/err.h"

struct answer;

/* Sets `sure` and `ties` of an answer whose trial and finals are found. Fails out of memory, and
 * with ASC_INPUT where the policy of the run has to be known and cannot be read. */
enum asc_status answer_judge(struct answer *a, struct asc_err *e);

#endif
