/* The failures of a run as text for people, and the lines of names and reasons that they stand in.
 * All print to stdout. */
#ifndef ASCTUNE_CMD_RUN_FAILURES_H
#define ASCTUNE_CMD_RUN_FAILURES_H

struct loop_options;
struct loop_summary;
struct run_options;

/* "  NAME     REASON", broken at blanks to the width of a terminal. */
void run_failures_print_line(const char *name, const char *reason);

/* Two lines for each status that has failures, of one example: implementation, configuration and
 * reason; command. */
void run_failures_print(const struct run_options *run, const struct loop_options *o,
			const struct loop_summary *sum);

#endif
