/* New regressions that nobody has measured again yet, what is to be measured, and what it says.
 *
 * A history compares times of different nights; a suspect is called a regression of the code only
 * when the artifact of before and the one of now differ in the same rounds. */
#ifndef ASCTUNE_TRACK_TRACK_CONFIRM_H
#define ASCTUNE_TRACK_TRACK_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/confirmation.h"

struct buf;
struct db;
struct track_history;
struct track_rule;
struct track_series;

/* code, name as it is recorded, what it means */
#define TRACK_FINDING_LIST(X)                                                                      \
	X(CONFIRMED, "confirmed", "slower than what won before, in the same rounds")               \
	X(DEVICE, "device", "what won before is as slow now: the device, not the code")            \
	X(EQUAL, "not reproduced", "measured again, it is as fast as before")                      \
	X(UNDECIDED, "undecided", "measuring again does not tell, or cannot be done")

enum track_finding {
#define X(code, name, meaning) TRACK_FINDING_##code,
	TRACK_FINDING_LIST(X)
#undef X
};

const char *track_finding_name(enum track_finding f);
const char *track_finding_meaning(enum track_finding f);
bool track_finding_parse(const char *name, enum track_finding *out);

struct track_suspect { /* strings borrowed from the history */
	const struct track_series *series;
	const char *configs[CONFIRMATION_SIDES]; /* keys of what usually won */
	char artifacts[CONFIRMATION_SIDES][33];  /* content keys; "": not known */
	int64_t run_id;                          /* the first behind the change */
};

/* Is the series' change to be measured again: a new regression of times? */
bool track_confirm_wants(const struct track_series *s);
enum asc_status track_confirm_find(const struct track_history *h, size_t series, struct db *d,
				   struct track_suspect *out, struct asc_err *e);

/* What the figures say; words for people are appended to `text`. Pure. */
enum track_finding track_confirm_judge(const struct track_series *s, const struct confirmation *c,
				       const struct track_rule *rule, struct buf *text);

/* Recorded for the change, in the place of what was found before. */
enum asc_status track_confirm_record(const struct track_suspect *s, enum track_finding f,
				     double ratio, const char *text, struct db *d,
				     struct asc_err *e);

/* Median of the sessions' ratios; NaN without any. */
double track_confirm_ratio(const struct confirmation *c);

#endif
