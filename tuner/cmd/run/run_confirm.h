/* `asctune run --confirm`, and the session of `asctune run` on the device that its options name. */
#ifndef ASCTUNE_CMD_RUN_RUN_CONFIRM_H
#define ASCTUNE_CMD_RUN_RUN_CONFIRM_H

#include <signal.h>

#include "tuner/base/err.h"
#include "tuner/cmd/target.h"
#include "tuner/tune/evaluate/session.h"

struct run_options;

struct run_session { /* the caller's storage, zeroed at first */
	struct target target;
	char *cache, *program;
	struct session session;
};

enum asc_status run_session_open(const struct run_options *o, struct run_session *s,
				 struct asc_err *e);
void run_session_close(struct run_session *s);

/* Measures again the suspects (reports/track/track_confirm.h) in the database for this device and
 * the wanted workloads, problems and implementations; records and prints the results. Gives the
 * exit status: 1 when one is slower. */
int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop);

#endif
