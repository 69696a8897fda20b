/* What a profile knows of a launch beside what was measured and counted: its grid, its machine
 * code, what the problem needs, what the device reaches. */
#ifndef ASCTUNE_TUNE_PROFILE_FIGURES_H
#define ASCTUNE_TUNE_PROFILE_FIGURES_H

#include "tuner/base/err.h"

struct evaluator_target;
struct loop_summary;
struct result;
struct trial;

/* Adds, as metrics by the names of FIGURE_LIST, to the readings of the profile of a trial: its
 * grid, the instructions of its kernels, what the problem needs, the device's peaks, and how many
 * blocks a multiprocessor holds. What is not known is left out. */
enum asc_status profile_figures_add(const struct evaluator_target *t, const struct trial *trial,
				    const struct loop_summary *sum, struct result *r,
				    struct asc_err *e);

#endif
