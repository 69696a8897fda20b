/* Sizes and types that --dims and --dtype ask for, made into problems of a workload. */
#ifndef ASCTUNE_CMD_RUN_PROBLEM_SIZES_H
#define ASCTUNE_CMD_RUN_PROBLEM_SIZES_H

#include "tuner/cmd/target.h"

#define PROBLEM_SIZES_DIMS_HELP                                                                    \
	"sizes that the file does not name; several values, M=1,16,64,N=4096, make several "       \
	"problems. The problems of --problem lend what is not given; without it each size is "     \
	"given"
#define PROBLEM_SIZES_DTYPE_HELP                                                                   \
	"type of the problems of --problem or --dims: f16, or T=f16,U=f32 for several dtype "      \
	"variables"

struct problem_sizes {
	const char *dims, *dtype;         /* as --dims and --dtype gave them, or NULL; borrowed */
	char *names[TARGET_MAX_PROBLEMS]; /* heap: names of the problems, set by
					     problem_sizes_choose() */
	size_t n;
};

bool problem_sizes_wanted(const struct problem_sizes *s);

/* Adds the requested problems to `w` and chooses them instead of the problems that *choice names. A
 * size of the file stands for the file's own problem. The names in *choice live as long as `s`.
 * ASC_USAGE: a text that cannot be read, a name that the problem lacks, or too many problems;
 * ASC_INPUT: a formula of the workload refuses the sizes. */
enum asc_status problem_sizes_choose(struct problem_sizes *s, struct workload *w,
				     const struct target *t, struct problem_choice *choice,
				     struct asc_err *e);

/* Adds problem `p` with another size of one dimension, or finds it. ASC_INPUT: a formula of the
 * workload refuses the size. */
enum asc_status problem_sizes_add(struct workload *w, const struct problem *p,
				  const char *dimension, int64_t size, const struct problem **out,
				  struct asc_err *e);
void problem_sizes_fini(struct problem_sizes *s);

#endif
