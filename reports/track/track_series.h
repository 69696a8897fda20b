/* One history and the verdict on its newest state: numbers of successive nights, lower being
 * better but for figures that say otherwise.
 *
 * Strings are borrowed and live as long as whoever made the series says; those that are not const,
 * and what was found, are owned by the series and freed by track_series_fini(). */
#ifndef ASCTUNE_TRACK_TRACK_SERIES_H
#define ASCTUNE_TRACK_TRACK_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/changepoint.h"

struct figure;
struct track_night;

/* The worst first, as they are listed. code, name, name of several */
#define TRACK_VERDICT_LIST(X)                                                                      \
	X(BROKEN, "broken", "broken")                                                              \
	X(REGRESSION, "regression", "regressions")                                                 \
	X(UNDECIDED, "undecided", "undecided")                                                     \
	X(IMPROVEMENT, "improvement", "improvements")                                              \
	X(SLOWER, "slower", "slower") /* a regression that is known by now */                      \
	X(FASTER, "faster", "faster")                                                              \
	X(DRIFTING, "drifting", "drifting")                                                        \
	X(UNCHANGED, "unchanged", "unchanged")

enum track_verdict {
#define X(code, name, many) TRACK_##code,
	TRACK_VERDICT_LIST(X)
#undef X
		TRACK_VERDICT_COUNT
};

const char *track_verdict_name(enum track_verdict v);
const char *track_verdict_count_name(enum track_verdict v, size_t n); /* of so many */

/* Is it one to act on, until somebody acknowledges it: exit status 1, a failed test? */
bool track_verdict_fails(enum track_verdict v);

/* What a change came with, the first that holds. code, name */
#define TRACK_CAUSE_LIST(X)                                                                        \
	X(UNKNOWN, "unknown")                                                                      \
	X(DEVICE, "device or driver changed")                                                      \
	X(CODE, "source or tool chain changed")                                                    \
	X(SLOWER, "same configuration")                                                            \
	X(CONFIGURATION, "another configuration won")

enum track_cause {
#define X(code, name) TRACK_CAUSE_##code,
	TRACK_CAUSE_LIST(X)
#undef X
};

const char *track_cause_name(enum track_cause c);

/* How far a regression is known. code, name */
#define TRACK_STATE_LIST(X)                                                                        \
	X(NONE, "")                                                                                \
	X(NEW, "new")                                                                              \
	X(CONFIRMED, "confirmed")                                                                  \
	X(ACKNOWLEDGED, "acknowledged")                                                            \
	X(NOT_REPRODUCED, "not reproduced")

enum track_state {
#define X(code, name) TRACK_STATE_##code,
	TRACK_STATE_LIST(X)
#undef X
};

const char *track_state_name(enum track_state s);

#define TRACK_TIME "time_ns" /* the metric that every history has */

struct track_rule {
	double least_pct;   /* a smaller change is none */
	size_t fresh;       /* a change is new for so many points, and known from then on */
	double false_share; /* bound on the expected share of false ones among the new changes */
};

extern const struct track_rule track_rule_default; /* 1 %, 7 points, 5 % */

struct track_series {
	const char *name; /* for people: the file, or all of what follows */
	const char *device, *workload, *problem, *implementation, *metric; /* NULL: from a file */
	const char *machine; /* which one of several of that model, "": there is but one */
	const char *cache, *problem_key;
	const struct figure *figure; /* NULL: times */
	size_t times;                /* of a figure: the series of times of the same nights */
	char *own_name;              /* what `name` is where the series owns it; else NULL */
	const double *values;
	const struct track_night *nights; /* as many; NULL: from a file */
	size_t n;
	struct changepoints found;

	enum track_verdict verdict;
	bool changed;                         /* a new change is there */
	double drift_pct;                     /* over the whole series; 0: none is clear */
	size_t index;                         /* first point behind it */
	double before, after;                 /* levels there, as all that follows; of a change that
						 is known, where the verdict says so */
	double change_pct, low_pct, high_pct; /* of the level before; the 95 % interval */
	double p;                             /* 1 without a change */
	enum track_cause cause;
	int64_t newest_run;    /* that tried it, also where that is no point of the series */
	int64_t newest_ms;     /* its start */
	bool broken;           /* in it, configurations failed and none passed */
	char *acknowledged;    /* the reason; NULL: not */
	char *acknowledged_by; /* who did; may be "" */
	int64_t acknowledged_until_ms;
	bool confirmed, not_reproduced; /* by measuring again */
	char *remeasured;               /* what that said; NULL: it was not done */
	bool newest_disturbed;          /* a newer point is there and was left out */
	size_t left_out;                /* points of disturbed runs */
	char *why;                      /* NULL: nothing to say */
};

enum track_state track_series_state(const struct track_series *s);

/* Finds the change points of s->values and judges the newest of them; without one, whether the
 * newest point stands alone too far out to say. */
enum asc_status track_series_judge(struct track_series *s, const struct track_rule *rule,
				   struct asc_err *e);
void track_series_fini(struct track_series *s);

/* Changes that could be chance among so many series are undecided: Benjamini and Hochberg,
 * "Controlling the false discovery rate", 1995, over the p of all. */
enum asc_status track_series_control(struct track_series *list, size_t n,
				     const struct track_rule *rule, struct asc_err *e);

/* For sorting, worst first, by the order of the verdicts: those that somebody acknowledged last of
 * theirs, then the larger change first. Of one list. */
int track_series_compare(const struct track_series *a, const struct track_series *b);

/* How many have each verdict, indexed by it. */
struct track_counts {
	size_t of[TRACK_VERDICT_COUNT];
	size_t acknowledged; /* of those that fail */
	size_t failing;      /* and are not acknowledged */
};
struct track_counts track_series_count(const struct track_series *list, size_t n);

#endif
