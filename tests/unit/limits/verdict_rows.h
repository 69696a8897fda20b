/* Recorded verdicts of a memory planner (tests/limits), and calibrations that are answered from
 * them instead of from a planner. */
#ifndef ASCTUNE_TESTS_VERDICT_ROWS_H
#define ASCTUNE_TESTS_VERDICT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/workload/limits/calibration.h"

struct recorded_kernel {
	const char *file;                      /* in tests/limits */
	const char *sizes[TILE_MAX_SIZES + 1]; /* columns; the others are what makes a variant */
};

/* Kernels of workloads/, then kernels that nothing was fitted to; ended by one without a file. */
extern const struct recorded_kernel recorded_kernels[];

/* Sums over the variants of a kernel on one model. */
struct recorded_sums {
	size_t variants, most_asked;
	size_t fitting, lost, refused, foreseen;
	/* Of these, what no question was about. */
	size_t kept_fitting, kept_lost, kept_refused, kept_foreseen;
};

/* Calibrates every variant and type of a kernel on "910B3" or "950", at most `questions` each, and
 * judges all its rows. A question that no row answers has no verdict. False: the file cannot be
 * read. `each` is called for a variant, unless it is NULL. */
typedef void recorded_fn(const char *variant, const struct calibration_report *r,
			 const char *const *sizes);
bool recorded_replay(const struct recorded_kernel *k, const char *model, size_t questions,
		     recorded_fn *each, struct recorded_sums *out);

/* Searches the largest tiles of tests/limits/calibrate/largest.csv with at most `questions` each,
 * by the verdicts that it records. Sets the numbers of lines, of those found as recorded, and the
 * most questions of any. */
bool recorded_largest(size_t questions, size_t *lines, size_t *found, size_t *most_asked);

#endif
