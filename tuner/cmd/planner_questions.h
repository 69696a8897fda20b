/* Commands that question the memory planner of an NPU model about a workload's Triton kernels: what
 * they have in common, from their options to an open desk.
 *
 * The caller owns a struct planner_questions: zeroed, planner_questions_close(). */
#ifndef ASCTUNE_CMD_PLANNER_QUESTIONS_H
#define ASCTUNE_CMD_PLANNER_QUESTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/target.h"

struct verdict;
struct verdict_row;
struct verdicts;
struct workload;

struct planner_options {    /* all borrowed */
	const char *option; /* that asks for it, "--calibrate" */
	const char *file, *device, *implementation;
	const struct problem_choice *problems;
	unsigned rewrites_off; /* rewrite_bit()s */
	uint64_t jobs;         /* compilers at once; 0: one for each processor */
	bool json, trust;
};

struct planner_questions {
	struct target target;
	struct workload *workload;
	struct verdicts *desk; /* NULL until planner_questions_ask() */
};

/* Opens model and workload, and checks the choice of problems. ASC_USAGE where the device is no
 * model of an NPU. */
enum asc_status planner_questions_open(const struct planner_options *o, struct planner_questions *q,
				       struct asc_err *e);

/* Opens the desk. ASC_ABSENT: what is missing, and what still works; ASC_INTERRUPTED: `stop`, which
 * may be NULL, is not 0. */
enum asc_status planner_questions_ask(const struct planner_options *o, struct planner_questions *q,
				      const volatile sig_atomic_t *stop, struct asc_err *e);

/* Makes the row of a table of verdicts of an answer; false: it is no verdict. */
bool planner_row(const struct verdict *answer, struct verdict_row *out);

/* States that there is no kernel to ask about. */
enum asc_status planner_questions_none(const struct planner_options *o,
				       const struct planner_questions *q, struct asc_err *e);
void planner_questions_close(struct planner_questions *q);

#endif
