/* Why trials of a run have failed, for people: one example of each status. Prints to stdout, lines
 * no wider than the terminal (100 columns where there is none). */
#ifndef ASCTUNE_CMD_RUN_FAILURES_H
#define ASCTUNE_CMD_RUN_FAILURES_H

struct loop_summary;

/* "  NAME     REASON". */
void run_failures_print_line(const char *name, const char *reason);

/* One line for each status that has failures. */
void run_failures_print(const struct loop_summary *sum);

#endif
