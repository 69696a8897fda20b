/* The facts of a run as JSON lines for programs, and what both these and text for people are made
 * of. All print to stdout. */
#ifndef ASCTUNE_CMD_RUN_FACTS_H
#define ASCTUNE_CMD_RUN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/results/result.h"

struct loop_event;
struct loop_options;
struct loop_summary;
struct roofline;

enum { RUN_FACTS_TIME_PARTS = PHASE_COUNT + 7 };

/* Parts of a run's time. Compilers run side by side; the parts behind theirs, which is the first,
 * add up to the whole. */
size_t run_facts_time_parts(const struct loop_summary *sum, const char *names[RUN_FACTS_TIME_PARTS],
			    double ns[RUN_FACTS_TIME_PARTS]);

/* Places the best beside what is attainable; false: that is not known. */
bool run_facts_place_best(const struct loop_summary *sum, struct roofline *r);

void run_facts_begin_json(const struct loop_options *o, const struct loop_summary *sum);
void run_facts_trial_json(const struct loop_options *o, const struct loop_event *event);
void run_facts_end_json(const struct loop_options *o, const struct loop_summary *sum);

#endif
