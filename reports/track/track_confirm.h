/* New regressions, changes of the source and points far off that were not measured again yet: the
 * configurations to measure, and the verdict on the result.
 *
 * A history compares times of different runs; a suspect is called a regression of the code only
 * when the artifact of before and the one of now differ in the same rounds. */
#ifndef ASCTUNE_TRACK_TRACK_CONFIRM_H
#define ASCTUNE_TRACK_TRACK_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_series.h"
#include "tuner/base/err.h"
#include "tuner/result/confirmation.h"

struct buf;
struct db;
struct track_history;
struct track_rule;
struct track_series;

/* Why a series is measured again. */
enum track_suspicion {
	TRACK_SUSPECT_NONE,
	TRACK_SUSPECT_CHANGE, /* its points have a new change for the worse */
	TRACK_SUSPECT_SOURCE, /* source or toolchain changed since the run before */
	TRACK_SUSPECT_FAR,    /* its newest point is far above its level, with the same source */
	TRACK_SUSPECT_STEP    /* a slow-down that rounds have confirmed, and the source changed
				 since */
};

struct track_suspect { /* strings borrowed from the history */
	const struct track_series *series;
	enum track_suspicion why;
	double before_ns, after_ns;              /* levels, or of single points */
	const char *configs[CONFIRMATION_SIDES]; /* keys of the usual winners on either side */
	char artifacts[CONFIRMATION_SIDES][33];  /* content keys of their artifacts; "": unknown */
	const char *commit;                      /* as in struct track_point, of what was before */
	int64_t trial_id;                        /* of what was before; 0: none */
	bool as_recorded; /* what was before had another source than now: today's cannot stand
			     for it */
	int64_t run_id;   /* first run after the change */
};

/* Returns why a series of times is to be measured again; TRACK_SUSPECT_NONE for a baseline. A
 * change of the source and a point far off are measured again once, in their night. */
enum track_suspicion track_confirm_why(const struct track_series *s);

/* True if the series fails a check by this finding: it is slower, and not because of the machine.
 */
bool track_confirm_fails(const struct track_series *s, enum track_finding f);
enum asc_status track_confirm_find(const struct track_history *h, size_t series, struct db *d,
				   struct track_suspect *out, struct asc_err *e);

/* Finds a slow-down that rounds have confirmed and that stands, where the newest run has yet
 * another source. That source is then measured beside the one from before the slow-down, the oldest
 * of several: rounds beside the night before cannot show how much of it is left. *found false:
 * there is none. */
enum asc_status track_confirm_find_step(const struct track_history *h, size_t series, struct db *d,
					struct track_suspect *out, bool *found, struct asc_err *e);

/* Judges the measurement; appends an explanation to `text`. Pure. */
enum track_finding track_confirm_judge(const struct track_suspect *x, const struct confirmation *c,
				       const struct track_rule *rule, struct buf *text);

/* Records the verdict for the change in place of an earlier one. "Undecided" does not replace
 * "confirmed". */
enum asc_status track_confirm_record(const struct track_suspect *s, enum track_finding f,
				     double ratio, const char *text, struct db *d,
				     struct asc_err *e);

/* Median of the sessions' ratios; NaN without any. */
double track_confirm_ratio(const struct confirmation *c);

#endif
