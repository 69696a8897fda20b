/* The answer of a run for people: the best configuration with how sure it is, its ties, what
 * disturbed it, what failed and where the time went. */
#ifndef ASCTUNE_CMD_RUN_RUN_ANSWER_H
#define ASCTUNE_CMD_RUN_RUN_ANSWER_H

struct loop_options;
struct loop_summary;
struct prose;
struct run_options;

/* Prints the answer of a problem; `o->session` still knows the device. */
void run_answer_print(struct prose *p, const char *title, const struct run_options *run,
		      const struct loop_options *o, const struct loop_summary *sum);

/* Prints what limits the best; with --profile all that was counted of it. */
void run_answer_print_profile(struct prose *p, const struct run_options *run,
			      const struct loop_summary *sum);

#endif
