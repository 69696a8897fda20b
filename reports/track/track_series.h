/* One history and the verdict on its newest state: numbers of successive nights, lower being
 * better but for metrics that say otherwise.
 *
 * A series owns its strings that are not const, and what was found: track_series_fini() frees them.
 * Other strings are borrowed from the history that it is of. */
#ifndef ASCTUNE_TRACK_TRACK_SERIES_H
#define ASCTUNE_TRACK_TRACK_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/changepoint/changepoint.h"
#include "reports/track/track_control.h"

struct tracked_metric;
struct track_point;

/* Verdicts in the order in which all outputs list them. code, name for programs (JSON), words for
 * people. SLOWER and FASTER are changes that are no longer new. */
#define TRACK_VERDICT_LIST(X)                                                                      \
	X(BROKEN, "broken", "broken")                                                              \
	X(REGRESSION, "regression", "slower")                                                      \
	X(IMPROVEMENT, "improvement", "faster")                                                    \
	X(DRIFTING, "drifting", "drifting")                                                        \
	X(UNDECIDED, "undecided", "undecided")                                                     \
	X(SLOWER, "slower", "slower since earlier")                                                \
	X(FASTER, "faster", "faster since earlier")                                                \
	X(UNCHANGED, "unchanged", "unchanged")

enum track_verdict {
#define X(code, name, many) TRACK_##code,
	TRACK_VERDICT_LIST(X)
#undef X
		TRACK_VERDICT_COUNT
};

#define TRACK_OFF_SIZE 32
/* "1.7x", "35 %": how far a point is from its level, above or below. */
const char *track_print_off(double pct, char text[TRACK_OFF_SIZE]); /* `text` */

#define TRACK_FLOOR_SIZE 32
const char *track_print_floor(double pct, char text[TRACK_FLOOR_SIZE]); /* "±1.2 %"; `text` */

const char *track_verdict_name(enum track_verdict v);  /* "regression", for programs */
const char *track_verdict_words(enum track_verdict v); /* "slower", for people */

/* True for a verdict that is to be explained, or acknowledged. */
bool track_verdict_fails(enum track_verdict v);

/* Causes of a change; the first that holds counts. code, name */
#define TRACK_CAUSE_LIST(X)                                                                        \
	X(UNKNOWN, "unknown")                                                                      \
	X(DEVICE, "device or driver changed")                                                      \
	X(CODE, "source or toolchain changed")                                                     \
	X(SLOWER, "same configuration")                                                            \
	X(CONFIGURATION, "another configuration won")

enum track_cause {
#define X(code, name) TRACK_CAUSE_##code,
	TRACK_CAUSE_LIST(X)
#undef X
};

const char *track_cause_name(enum track_cause c);

/* State of a regression; MACHINE also of an improvement and of a drift. code, name */
#define TRACK_STATE_LIST(X)                                                                        \
	X(NONE, "")                                                                                \
	X(NEW, "new")                                                                              \
	X(MACHINE, "probably the machine")                                                         \
	X(CONFIRMED, "confirmed")                                                                  \
	X(ACKNOWLEDGED, "acknowledged")                                                            \
	X(NOT_REPRODUCED, "not reproduced")

enum track_state {
#define X(code, name) TRACK_STATE_##code,
	TRACK_STATE_LIST(X)
#undef X
};

const char *track_state_name(enum track_state s);

/* Findings of measuring a change again. code, recorded name, meaning */
#define TRACK_FINDING_LIST(X)                                                                      \
	X(CONFIRMED, "confirmed", "slower than the previous winner, in the same rounds")           \
	X(DEVICE, "device", "the previous winner is as slow now: the device, not the code")        \
	X(EQUAL, "not reproduced", "measured again, it is not slower than before")                 \
	X(UNDECIDED, "undecided", "measuring again gave no answer")

enum track_finding {
#define X(code, name, meaning) TRACK_FINDING_##code,
	TRACK_FINDING_LIST(X)
#undef X
};

const char *track_finding_name(enum track_finding f);
const char *track_finding_meaning(enum track_finding f);
bool track_finding_parse(const char *name, enum track_finding *out);

#define TRACK_TIME "time_ns" /* the metric that every history has */

struct track_rule {
	double least_pct; /* a smaller change is none */
	size_t fresh; /* a change is new for so many points from the one at which it is first said,
			 and known from then on */
	double false_share; /* bound on the expected fraction of false changes among the new ones */
	double wanted_pct;  /* a series whose floor is above it is undecided; 0: none is. That of a
			       workload counts before it */
};

extern const struct track_rule track_rule_default; /* 1 %, 7 points, 5 % */

struct track_old_best { /* configuration that won before a change, where another one won behind it
			 */
	const char *words; /* what became of it: "no longer builds"; NULL: the same won */
	char *reason;      /* how it failed; NULL: not recorded */
	double ns;         /* time that it takes now; 0: it does not pass */
};

struct track_newest {        /* what is apart of the newest point, or of the run behind it */
	double off_pct;      /* beyond its level, where it is far from that; else 0 */
	bool source_changed; /* it is the first of another source or toolchain */
	bool disturbed;      /* a newer point exists and was left out: its run was noisy */
};

struct track_again {         /* what measuring again says */
	bool measured;       /* the newest run was measured again */
	bool confirmed;      /* it is as slow, or the device is */
	bool not_reproduced; /* it is not slower */
	char *note;          /* text of the verdict; NULL: not measured again */
};

struct track_step {     /* slow-downs that rounds beside what was before have shown */
	bool in_rounds; /* the change is one, so that its place is known exactly */
	size_t at;      /* first point of the oldest one that was confirmed and stands; 0: none */
	double ratio;   /* its ratio */
};

struct track_ack {
	char *reason; /* NULL: not acknowledged */
	char *by;     /* user who acknowledged it; may be "" */
	int64_t until_ms;
};

struct track_faster {       /* what the newest run's search found faster */
	const char *config; /* NULL: nothing */
	double pct;         /* by how much */
};

struct track_series {
	/* Identity. NULL: from a file */
	const char *name; /* text for people: the file, or the members below */
	const char *device, *workload, *problem, *implementation, *metric;
	const char *machine; /* machine, where several of that model are known; "": only one */
	const char *cache, *problem_key;
	const char *baseline_names; /* baselines of its newest run, "eager,compiled"; "": none */

	/* Input: what is judged. */
	const double *values;
	const struct track_point *points; /* points, as many as values; NULL: from a file */
	size_t n;
	const struct tracked_metric *tracked; /* the tracked metric; NULL: times */
	size_t times;       /* of a metric: the series of times of the same points */
	size_t left_out;    /* points of noisy runs */
	double wanted_pct;  /* floor that the workload asks for, before the rule's; 0: none */
	int64_t newest_run; /* newest run that tried it, also where that is no point of it */
	int64_t newest_ms;  /* start of that run */
	bool broken;        /* configurations failed in that run and none passed */
	double newest_ns;   /* time in the newest run that measured one, steady or not; 0: none */
	struct track_newest newest;
	struct track_faster faster;

	/* The verdict. */
	struct changepoints found;
	enum track_verdict verdict;
	bool changed;         /* there is a new change */
	bool first_apart;     /* its oldest points are apart from the others, too few to tell */
	size_t index;         /* first point after the change */
	double before, after; /* levels before and after, like all that follows; of a known change
				 those at the change */
	double change_pct, low_pct, high_pct; /* of the level before; 95 % interval */
	double p;                             /* 1 without a change */
	double said_p;    /* of a known change: the least p with which it was found before the
			     newest `fresh` points, up to as many points earlier */
	double drift_pct; /* change by drift over the whole series; 0: none is clear */
	double floor_pct; /* least change, within the newest `fresh` points, that would be new with
			     a probability of 90 % (changepoints_floor()); 0: unknown */
	char *doubt;      /* why it is undecided, or what else is uncertain of it; NULL: nothing */

	/* Cause of the change. */
	enum track_cause cause;
	bool is_baseline; /* of another series */
	bool by_machine;  /* change or drift, probably the machine's: its baseline made it as well,
			     and nothing that was recorded explains it */
	char *why;        /* NULL: nothing */
	struct track_old_best old_best;      /* of a series of times that changed */
	const struct track_series *baseline; /* times of that baseline of the same kernel; NULL:
						none, or itself */
	struct track_control control;        /* the change beside that of its baseline */

	/* Measurements and acknowledgements since. */
	struct track_step step;
	struct track_again again;
	struct track_ack ack;
};

enum track_state track_series_state(const struct track_series *s);

/* True for a series that is slower, faster or drifts, which is probably the machine's, acknowledged
 * or not. */
bool track_series_is_of_machine(const struct track_series *s);

/* Finds the change points of s->values and judges the newest of them; without any, judges whether
 * the newest point is too far off to decide. */
enum asc_status track_series_judge(struct track_series *s, const struct track_rule *rule,
				   struct asc_err *e);
void track_series_fini(struct track_series *s);

/* Adds a reason to `doubt`. ASC_NOMEM. */
enum asc_status track_series_add_doubt(struct track_series *s, const char *words,
				       struct asc_err *e);

/* Makes changes that could be chance among so many series undecided: Benjamini and Hochberg,
 * "Controlling the false discovery rate", 1995, over the p of all. Finds the floor of each series
 * of times, for the p that a lone change needs, and makes those undecided whose floor is too high.
 */
enum asc_status track_series_control(struct track_series *list, size_t n,
				     const struct track_rule *rule, struct asc_err *e);

/* Order for sorting, worst first, by the order of the verdicts: acknowledged ones last within
 * theirs, then the larger change first. Both of one list. */
int track_series_compare(const struct track_series *a, const struct track_series *b);

/* Order of names that together say what something is of, compared one after another; NULL counts as
 * "". 0: of the same. All of reports/track compares by it. */
int track_identity_compare(const char *const *a, const char *const *b, size_t n);

/* Order by what series are of, whatever the implementation; 0: of one kernel. */
int track_series_compare_kernels(const struct track_series *a, const struct track_series *b);

/* True for an undecided series without a change, which has too few points for one. */
bool track_series_is_short(const struct track_series *s);

/* False for a baseline, unless nothing of it passes any more: its changes are those of its kernels'
 * control. */
bool track_series_is_counted(const struct track_series *s);

/* True for a series that fails a check: exit status 1, a failed test. It is broken or slower, is
 * counted, was not acknowledged, and the machine is not the probable cause. */
bool track_series_fails(const struct track_series *s);

/* True for a series that a check neither passes nor fails: undecided, or slower without failing. */
bool track_series_is_skipped(const struct track_series *s);

#endif
