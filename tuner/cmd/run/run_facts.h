/* The facts of a run as JSON lines for programs, on stdout. */
#ifndef ASCTUNE_CMD_RUN_RUN_FACTS_H
#define ASCTUNE_CMD_RUN_RUN_FACTS_H

struct loop_event;
struct loop_options;
struct loop_summary;

void run_facts_begin_json(const struct loop_options *o, const struct loop_summary *sum);
void run_facts_trial_json(const struct loop_options *o, const struct loop_event *event);
void run_facts_end_json(const struct loop_options *o, const struct loop_summary *sum);

#endif
