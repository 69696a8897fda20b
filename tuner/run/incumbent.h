/* The incumbent of one worker: the fastest configuration that it has measured, kept loaded. It is
 * launched again when another is about to be dropped as slow by little: the machine may have
 * changed since the incumbent was measured. */
#ifndef ASCTUNE_RUN_INCUMBENT_H
#define ASCTUNE_RUN_INCUMBENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/result.h"

struct measure;
struct passage;
struct rule;
struct worker_config;

struct incumbent {                    /* zeroed: none */
	struct worker_config *config; /* owned; in no list */
	double median_ns;             /* of its own measurement */
	double mhz;                   /* the clock of that; 0: unknown */
	int64_t same_mhz; /* the device's clock when a launch last took median_ns; 0: unknown */
	struct result failure; /* of one that failed when it was launched again: status not ok */
	uint64_t failed_id;
	bool harmful; /* it wrote where it must not */
};

/* Whether `config`, which had `result` by the rule, becomes the incumbent: then it is owned here,
 * and the one before is freed. Where the rule doubts nothing, none does. */
bool incumbent_take(struct incumbent *i, const struct rule *r, struct worker_config *config,
		    const struct result *result);
void incumbent_fini(struct incumbent *i);

/* Looks again at the verdict slow of `m`, the measurement of `candidate`. It stands without a
 * launch when the device's clock is what it was by the rule's `doubt_clock`, and after one sample
 * of each where the incumbent takes no longer than `near` times its median and the candidate is
 * slower by that. Else more pairs are sampled, the candidate last: where all pairs but one at most
 * say slower (beyond `near`) the verdict stands; where at most one does, the candidate is not slow;
 * else it is undecided, as it is when the incumbent fails. The candidate's samples are added to
 * `m`. */
enum asc_status incumbent_recheck(struct incumbent *i, struct passage *candidate, struct measure *m,
				  struct asc_err *e);

#endif
