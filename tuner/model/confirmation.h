/* What came of measuring a suspected regression again: the configuration that won before against
 * the one that wins now, in the same rounds. Plain data. */
#ifndef ASCTUNE_MODEL_CONFIRMATION_H
#define ASCTUNE_MODEL_CONFIRMATION_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/stats.h"

enum { CONFIRMATION_SESSIONS = 3 };
enum confirmation_side { CONFIRMATION_BEFORE, CONFIRMATION_AFTER, CONFIRMATION_SIDES };

/* Sessions are rounds in a worker process of their own each: where a process lies in memory is a
 * source of noise that no number of rounds within one averages out. */
struct confirmation {
	struct confirmation_session {
		double ns[CONFIRMATION_SIDES];  /* medians */
		double ratio;                   /* after / before, median of the rounds */
		struct stats_interval interval; /* of it; the range where there is none */
	} sessions[CONFIRMATION_SESSIONS];
	size_t n;                        /* sessions that both sides passed */
	bool stored[CONFIRMATION_SIDES]; /* the recorded artifact was there; else it was built from
					    today's sources */
	bool same;         /* both sides were one and the same artifact and configuration */
	bool unsteady;     /* more than 5 % of the samples were disturbed */
	char reason[1024]; /* why it could not be measured; "": it was, in every session */
};

#endif
