/* Further lines of a run for people, a name and a text each: what --verbose prints below the
 * answer. */
#ifndef ASCTUNE_CMD_RUN_RUN_DETAILS_H
#define ASCTUNE_CMD_RUN_RUN_DETAILS_H

struct loop_options;
struct loop_summary;
struct prose;

/* Prints why the search ended before its budget; nothing where it did not. */
void run_details_print_patience(struct prose *p, const struct loop_summary *sum);

void run_details_print(struct prose *p, const struct loop_options *o,
		       const struct loop_summary *sum);

#endif
