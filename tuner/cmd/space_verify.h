/* `asctune space --verify-with-compiler`: what the limits of memory leave out of the spaces of a
 * workload's Triton kernels, beside the verdicts of an NPU's memory planner. */
#ifndef ASCTUNE_CMD_SPACE_VERIFY_H
#define ASCTUNE_CMD_SPACE_VERIFY_H

#include <stdint.h>

#include "tuner/cmd/planner_questions.h"

struct space_verify { /* all borrowed */
	struct planner_options planner;
	uint64_t sample; /* configurations that are drawn; 0: all are asked about */
	uint64_t seed;
	const char *table; /* file that a table of the verdicts is written to; NULL: none */
};

/* Runs the command; returns its exit status. */
int space_verify_main(const struct space_verify *o);

#endif
