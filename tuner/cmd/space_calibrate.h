/* `asctune space --calibrate`: bounds of memory for the Triton kernels of a workload, by questions
 * to an NPU's memory planner. */
#ifndef ASCTUNE_CMD_SPACE_CALIBRATE_H
#define ASCTUNE_CMD_SPACE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct problem_choice;

struct space_calibrate { /* all borrowed */
	const char *file, *device, *implementation;
	const struct problem_choice *problems;
	unsigned rewrites_off; /* rewrite_bit()s */
	uint64_t questions;    /* about one variant at most; 0: CALIBRATION_QUESTIONS */
	uint64_t jobs;         /* compilers at once; 0: one for each processor */
	bool json, trust;
};

/* Runs the command; returns its exit status. */
int space_calibrate_main(const struct space_calibrate *o);

#endif
