/* Reports of one loaded configuration while it is launched: heartbeats and phases to the
 * coordinator, refusals and stray writes into its result. */
#ifndef ASCTUNE_WORKER_LAUNCH_REPORT_H
#define ASCTUNE_WORKER_LAUNCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct policy;
struct worker_config;
struct worker_problem_harm;
struct worker_watch;

struct launch_context { /* all borrowed */
	struct worker_config *config;
	const struct worker_watch *watch;
	struct result *result;
	const struct policy *policy;
	int64_t until_ns; /* time limit as in struct trial */
	int64_t beat_ns;  /* time of the last heartbeat */
	bool again;       /* launches were made after the verified one */
	int64_t note;     /* note of the launches since it was set to 0 */
	size_t step;      /* of several calls the one that is loaded or launched alone, counted
			     from 1; 0: all */
};

/* True when time is up: no further launch is to be begun. */
bool launch_is_over(const struct launch_context *p);

/* Enters a phase: announces it to the coordinator, and begins its time limit anew. */
enum asc_status launch_enter(struct launch_context *p, enum phase phase, struct asc_err *e);

/* Makes a refusal of the device the configuration's result, except when out of memory. */
enum asc_status launch_refuse(struct launch_context *p, enum result_status status,
			      const struct asc_err *e);

/* Makes what a kernel has written where it must not the configuration's result; the status stays
 * where there is nothing. */
void launch_set_harm(struct launch_context *p, const struct worker_problem_harm *harm,
		     enum phase phase);

#endif
