/* The lines that show the state of a run, and the arithmetic of its remaining time: pure functions.
 */
#ifndef ASCTUNE_CMD_TERMINAL_LIVE_LINES_H
#define ASCTUNE_CMD_TERMINAL_LIVE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/units.h"
#include "tuner/result/result.h"

struct buf;
struct canvas;

struct live_facts {         /* texts borrowed; NULL or 0: unknown, unless stated otherwise */
	const char *title;  /* WORKLOAD/PROBLEM */
	const char *phase;  /* "building", "done", ... */
	const char *budget; /* budget as text */
	uint64_t trials, planned;
	uint64_t fresh; /* trials of this run alone: resumed ones take no time */
	uint64_t by_status[RESULT_STATUS_COUNT];
	int64_t elapsed_ns, budget_ns;
	int64_t age_ns;     /* age of the last result; -1: unknown */
	bool unmeasured;    /* only built: there is no best */
	bool over;          /* the search has ended: no rate and no time left */
	bool ending;        /* the search has ended and the run has not: the finals are shown in its
			       place */
	int64_t retakes;    /* disturbed samples that the finals take again; 0: not said */
	double ending_part; /* 0 .. 1; -1: not known */
	int64_t ending_left_ns;              /* 0: not known, the duration so far is shown */
	double best_ns, default_ns;          /* medians */
	const char *implementation, *config; /* implementation and configuration of the best */
};

/* Time until the budget ends, in trials at the rate so far or in seconds, whichever ends first; -1:
 * not known. */
int64_t live_left_ns(const struct live_facts *f);

double
live_part_done(const struct live_facts *f);   /* 0 .. 1, by whichever is further; -1: not known */
double live_rate(const struct live_facts *f); /* trials a second; 0: not known */
uint64_t live_failed(const struct live_facts *f);

/* Prints whole seconds, since parts of them change too fast to read. Returns `text`, or a constant.
 */
const char *live_print_age(int64_t ns, char text[UNITS_TEXT_SIZE]);

/* "2 build_failed, 1 wrong"; nothing where nothing failed. */
void live_print_failures(const struct live_facts *f, struct buf *out);

/* Up to three lines: progress; the best so far, if anything is measured; failures by kind. On a
 * narrow canvas the first line does without rate, bar, phase and so on, in this order; the rest is
 * cut. */
void live_lines_add(const struct live_facts *f, struct canvas *c);

/* The first of these lines alone, for one of several devices. */
void live_lines_add_progress(const struct live_facts *f, struct canvas *c);

#endif
