/* Measuring what a search has left open: configurations that are given, on one problem, in a run of
 * its own. */
#ifndef ASCTUNE_CMD_RUN_RUN_GIVEN_H
#define ASCTUNE_CMD_RUN_RUN_GIVEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct best_row;
struct db;
struct dispatch;
struct loop_given;
struct problem;
struct problem_choice;
struct run_options;
struct run_session;
struct run_show;
struct workload;

struct run_given { /* all borrowed */
	const struct run_options *options;
	const struct problem_choice *problems;
	const volatile sig_atomic_t *stop;
	struct run_session *on;
	struct db *db;
	struct run_show *show;
	struct workload *workload; /* its problems were tuned */
	const char *what;          /* that they are measured for: "cover", "table" */
	int64_t until_ns;          /* time after which nothing is begun; 0: no limit */
};

/* Time that measuring may take after the searches, as --budget's help says: at most a quarter of
 * theirs. */
void run_given_limit(struct run_given *on);
bool run_given_is_over(const struct run_given *on); /* or stopped */

/* Reads the best of each problem and implementation; what is none of the command's problems,
 * implementations, caches and device is left out of the table. */
enum asc_status run_given_read(const struct run_given *on, struct dispatch *out, struct asc_err *e);

/* Measures the configurations in one run, number `number` of `all` (0: not counted), beside the
 * default; those that the problem's spaces do not have are left out. A problem on which nothing
 * could be measured is noted, and is no failure. */
enum asc_status run_given_measure(const struct run_given *on, const struct problem *p,
				  const struct loop_given *given, size_t n, size_t number,
				  size_t all, struct asc_err *e);

#endif
