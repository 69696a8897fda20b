/* Two configurations, of one implementation or of two, measured against each other in the same
 * rounds, each with its recorded artifact: does a slow-down of a history show on this machine, now?
 */
#ifndef ASCTUNE_TUNE_CONFIRM_H
#define ASCTUNE_TUNE_CONFIRM_H

#include "tuner/base/err.h"
#include "tuner/result/confirmation.h"

struct loop_options;

struct confirm_side {     /* borrowed */
	const char *what; /* in a reason: "the previous winner" */
	const char *config_key;
	const char *artifact;       /* content key of its artifact; "": unknown */
	const char *implementation; /* name; NULL: o->implementation */
	bool as_recorded; /* that artifact and none else: without it there is no comparison */
};

/* Measures as finals do, both to the end. `o` needs no database or strategy; o->implementation
 * names the implementation of sides that name none. A configuration that cannot be measured (not in
 * the space any more, a failed build) is a reason, not an error; a stop leaves fewer sessions.
 * `problem_key`: that of the problem that was measured; another one is a reason too. NULL: any. */
enum asc_status confirm_run(const struct loop_options *o, const char *problem_key,
			    const struct confirm_side sides[CONFIRMATION_SIDES],
			    struct confirmation *out, struct asc_err *e);

#endif
