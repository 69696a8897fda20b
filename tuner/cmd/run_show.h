/* What a run shows: one line at its start, progress on a terminal, a block of facts at its end; or
 * JSON lines. */
#ifndef ASCTUNE_CMD_RUN_SHOW_H
#define ASCTUNE_CMD_RUN_SHOW_H

#include <stdbool.h>
#include <stdint.h>

struct loop_event;
struct loop_options;
struct loop_summary;

struct run_show {
	bool json;     /* JSON lines on stdout, nothing else */
	bool terminal; /* stderr is one: draw progress */
	int width;     /* columns of the terminal */
	int64_t drawn_ns;
	const struct loop_options *options; /* of the problem being tuned */
	char title[160];                    /* workload/problem */
};

void run_show_init(struct run_show *s, bool json);

/* Before a problem: borrows the options until run_show_end. */
void run_show_begin(struct run_show *s, const struct loop_options *o);

/* A loop_options.progress; `user` is the struct run_show. */
void run_show_progress(void *user, const struct loop_summary *so_far,
		       const struct loop_event *last);

/* Takes the progress bar away, so that a message can be printed. */
void run_show_clear(struct run_show *s);

/* After a problem. */
void run_show_end(struct run_show *s, const struct loop_summary *sum);

#endif
