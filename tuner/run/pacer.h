/* The fastest configuration that a worker has measured, kept loaded and launched again when
 * another's time is in doubt: has the machine changed? */
#ifndef ASCTUNE_RUN_PACER_H
#define ASCTUNE_RUN_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct passage;
struct result;
struct rule;
struct worker_config;

struct pacer {                        /* zeroed: nobody */
	struct worker_config *config; /* owned; in no list */
	double median_ns;             /* of its own measuring, at the pace of that moment */
	double normal_ns;             /* the same at the normal pace, which is that of the first */
	double now_ns;                /* what a launch takes since the machine changed last */
	double now_mhz;               /* the clock that it does so at; 0: unknown */
	int64_t mhz;                  /* the device's clock when it was launched last; 0: unknown */
	double inherited;             /* the pace that a worker before knew; 0: none did */
};

/* Whether `config`, which had `result` by the rule, is to be kept: then the pacer owns it, and
 * frees the one before. Where the rule doubts nothing, nobody is. */
bool pacer_take(struct pacer *p, const struct rule *r, struct worker_config *config,
		const struct result *result);
void pacer_fini(struct pacer *p);

/* How long a launch takes now, as a part of its normal time: 1.5 on a machine that takes half as
 * long again. Before there is anybody the inherited one, 1 when nothing is known. */
double pacer_pace(const struct pacer *p);

/* Launches it again, as `other` is measured, unless the device's clock is what it was by the rule's
 * `doubt_clock`: *changed when the machine is further from what it was
 * than the rule's `near` allows, which most of five samples have to say. Then the pace is that of
 * now. One that does not launch any more is given up, and the pace stays. */
enum asc_status pacer_look(struct pacer *p, const struct passage *other, bool *changed,
			   struct asc_err *e);

#endif
