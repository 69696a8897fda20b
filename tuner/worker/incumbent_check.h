/* The incumbent of one worker: the fastest configuration that it has measured, kept loaded. It is
 * launched again when another is about to be dropped as slow by little: the machine may have
 * changed since the incumbent was measured. */
#ifndef ASCTUNE_WORKER_INCUMBENT_CHECK_H
#define ASCTUNE_WORKER_INCUMBENT_CHECK_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/worker/measurement.h"

/* Decides whether `config`, which had `result`, becomes the incumbent, which then owns it; the one
 * before is freed. None does where the policy samples nothing again. */
bool incumbent_check_take(struct race *race, struct worker_config *config,
			  const struct result *result);
void incumbent_check_fini(struct incumbent_check *i);

/* True where a result may make its configuration the incumbent, with the score that decides.
 * `least_ns` as of struct race. */
bool incumbent_check_scores(const struct policy *r, int64_t least_ns, const struct result *result,
			    double *score);

/* Checks the verdict slow of a candidate's sampling. It stands without a launch when the device's
 * clock is what it was by the policy's `doubt_clock`, and after one sample of each where the
 * incumbent takes no longer than `near` times its median and the candidate is slower by that. Else
 * more pairs are sampled, the candidate last: where all pairs but one at most show it slower
 * (beyond `near`) the verdict stands; where at most one does, the candidate is not slow; else it is
 * undecided, as it is when the incumbent fails. The candidate's samples are added to its own. */
enum asc_status incumbent_check_recheck(struct measurement *candidate, struct asc_err *e);

#endif
