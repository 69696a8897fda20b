/* The failures of a run as text for people. */
#ifndef ASCTUNE_CMD_RUN_RUN_FAILURES_H
#define ASCTUNE_CMD_RUN_RUN_FAILURES_H

struct loop_options;
struct loop_summary;
struct prose;
struct run_options;

/* Prints for each status that has failures one example: implementation, configuration and reason;
 * the command that repeats it. */
void run_failures_print(struct prose *p, const struct run_options *run,
			const struct loop_options *o, const struct loop_summary *sum);

#endif
