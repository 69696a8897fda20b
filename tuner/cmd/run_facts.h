/* The facts of a run as text for people and as JSON lines for programs. All print to stdout. */
#ifndef ASCTUNE_CMD_RUN_FACTS_H
#define ASCTUNE_CMD_RUN_FACTS_H

struct loop_event;
struct loop_options;
struct loop_summary;
struct run_options;

void run_facts_begin_json(const struct loop_options *o, const struct loop_summary *sum);
void run_facts_trial_json(const struct loop_options *o, const struct loop_event *event);
void run_facts_end_json(const struct loop_options *o, const struct loop_summary *sum);

/* Best configuration with its spread, rate, ratio to the default, trials by status, and where the
 * time went. */
void run_facts_end_text(const char *title, const struct run_options *run,
			const struct loop_options *o, const struct loop_summary *sum);

#endif
