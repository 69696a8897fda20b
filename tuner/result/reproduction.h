/* The verdict on a recorded time: its configuration built again, verified, and measured beside the
 * recorded artifact. Pure. */
#ifndef ASCTUNE_RESULT_REPRODUCTION_H
#define ASCTUNE_RESULT_REPRODUCTION_H

#include <stdbool.h>

#include "tuner/base/stats/stats.h"

struct confirmation;

/* id, name */
#define REPRODUCTION_LIST(X)                                                                       \
	X(HOLDS, "holds")         /* verified, and its time agrees with the recorded one */        \
	X(FAILS, "does not hold") /* it does not pass, or its time is another one */               \
	X(UNDECIDED, "undecided") /* sessions differ by as much */

enum reproduction_verdict {
#define X(id, name) REPRODUCTION_##id,
	REPRODUCTION_LIST(X)
#undef X
};

const char *reproduction_name(enum reproduction_verdict v);

/* Causes of another time. id, name */
#define REPRODUCTION_CAUSE_LIST(X)                                                                 \
	X(NONE, "")                                                                                \
	X(MACHINE, "machine") /* the recorded artifact takes another time now, too */              \
	X(CODE, "code")       /* in the same rounds, what is built now differs from it */          \
	X(OPEN, "open")       /* the recorded artifact is gone, or that does not tell */

enum reproduction_cause {
#define X(id, name) REPRODUCTION_BY_##id,
	REPRODUCTION_CAUSE_LIST(X)
#undef X
};

const char *reproduction_cause_name(enum reproduction_cause c);

struct reproduction_claim {
	struct stats_summary time; /* recorded time; n > 0 */
	const char *digest;        /* digest of the recorded artifact; "": not recorded */
	double near;               /* policy.near and policy.margin of the recorded run */
	double margin;
};

struct reproduction {
	enum reproduction_verdict verdict;
	enum reproduction_cause cause; /* of another time */
	bool same_bytes; /* the recorded digest, where that is known, is that of the new build */
	bool beside;     /* the recorded artifact was measured in the same rounds, and differs */
	/* Medians over the sessions, and their widest interval. Without a session all are 0. */
	double ns;                                 /* time now */
	double ratio, low, high;                   /* time now / recorded time */
	double built_ratio, built_low, built_high; /* new build / recorded artifact, if `beside` */
};

/* Judges the sessions of a confirmation whose side before is the recorded artifact where it is
 * still stored, and whose side after is the new build. Both moments are compared by the intervals
 * of their medians: the time holds when the interval of the ratio is one of a tie (result/tie), it
 * does not when that lies beyond `near`. */
struct reproduction reproduction_judge(const struct reproduction_claim *r,
				       const struct confirmation *c);

#endif
