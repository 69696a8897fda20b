/* `asctune run --cover`: few configurations for the problems of a workload, each measured beside
 * the default on the problems that it serves. */
#ifndef ASCTUNE_CMD_RUN_RUN_COVER_H
#define ASCTUNE_CMD_RUN_RUN_COVER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct problem_choice;
struct run_options;
struct run_session;
struct run_show;
struct workload;

struct run_cover { /* all borrowed */
	const struct run_options *options;
	const struct problem_choice *problems;
	const volatile sig_atomic_t *stop;
	struct run_session *on;
	struct db *db;
	struct run_show *show;
	const struct workload *workload; /* its problems were tuned */
	int64_t since; /* first run whose results count as measured; 0: all runs */
	bool fresh;    /* something was measured since the cover before */
};

/* Chooses configurations, measures each on the problems that it serves, unless it was measured
 * there before, and chooses again if one fails or loses more than expected. Prints which
 * configuration serves which problems; nothing after a stop. */
enum asc_status run_cover(const struct run_cover *on, struct asc_err *e);

#endif
