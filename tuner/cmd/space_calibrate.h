/* `asctune space --calibrate`: bounds of memory for the Triton kernels of a workload, by questions
 * to an NPU's memory planner. */
#ifndef ASCTUNE_CMD_SPACE_CALIBRATE_H
#define ASCTUNE_CMD_SPACE_CALIBRATE_H

#include <stdint.h>

#include "tuner/cmd/planner_questions.h"

struct space_calibrate {
	struct planner_options planner;
	uint64_t questions; /* about one variant at most; 0: CALIBRATION_QUESTIONS */
};

/* Runs the command; returns its exit status. */
int space_calibrate_main(const struct space_calibrate *o);

#endif
