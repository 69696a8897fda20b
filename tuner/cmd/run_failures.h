/* Why trials of a run have failed, for people: one example of each status, with the command that
 * repeats it. Prints to stdout; nothing is cut, on a terminal reasons are broken between words. */
#ifndef ASCTUNE_CMD_RUN_FAILURES_H
#define ASCTUNE_CMD_RUN_FAILURES_H

struct loop_options;
struct loop_summary;
struct run_options;

/* "  NAME     REASON". */
void run_failures_print_line(const char *name, const char *reason);

/* Two lines for each status that has failures: implementation, configuration and reason; command.
 */
void run_failures_print(const struct run_options *run, const struct loop_options *o,
			const struct loop_summary *sum);

#endif
