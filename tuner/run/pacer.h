/* The fastest configuration that a worker has measured, kept loaded and launched again when
 * another's time is in doubt: has the machine changed? */
#ifndef ASCTUNE_RUN_PACER_H
#define ASCTUNE_RUN_PACER_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/run/pace.h"

struct passage;
struct result;
struct worker_config;

struct pacer {                        /* zeroed: nobody */
	struct worker_config *config; /* owned; in no list */
	struct pace pace;
	double median_ns; /* of its own measuring, at the pace of that moment */
};

/* Whether `config`, which had `result`, is to be kept: then the pacer owns it, and frees the one
 * before. */
bool pacer_take(struct pacer *p, struct worker_config *config, const struct result *result);
void pacer_fini(struct pacer *p);

/* Launches it again, as `other` is measured: *changed when the machine is further from what it was
 * than the rule's `near` allows, which three samples have to say. Then the pace is that of
 * now. */
enum asc_status pacer_look(struct pacer *p, const struct passage *other, bool *changed,
			   struct asc_err *e);

#endif
