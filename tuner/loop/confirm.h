/* Two configurations of one implementation against each other, each with the artifact that was
 * recorded for it: is what became slower in a history slower on this machine, now? */
#ifndef ASCTUNE_LOOP_CONFIRM_H
#define ASCTUNE_LOOP_CONFIRM_H

#include "tuner/base/err.h"
#include "tuner/model/confirmation.h"

struct loop_options;

struct confirm_side { /* borrowed */
	const char *config_key;
	const char *artifact; /* its content key; "": not known */
};

/* Measures as finals do, both to the end. `o` needs no database or strategy;
 * o->implementation says which. What cannot be measured (a configuration that is not in the space
 * any more, a failed build) is a reason, not an error; a stop leaves fewer sessions. `problem_key`:
 * of the problem that was measured; another one is a reason too. */
enum asc_status confirm_run(const struct loop_options *o, const char *problem_key,
			    const struct confirm_side sides[CONFIRMATION_SIDES],
			    struct confirmation *out, struct asc_err *e);

#endif
