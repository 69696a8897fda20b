/* The score of a search on recorded results: how much of the way from random search to the optimum
 * it has gone, 0 .. 1, averaged over the time that random search takes to come near the optimum.
 *
 * After Willemsen et al., "A methodology for comparing optimization algorithms for auto-tuning"
 * (2024), as the package autotuning_methodology 1.1.0 computes it. Times are seconds. */
#ifndef ASCTUNE_TUNE_REPLAY_SCORE_H
#define ASCTUNE_TUNE_REPLAY_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct recorded;

enum { SCORE_POINTS = 1000 }; /* points of the axis of time */

/* Constants of the recorded results. */
struct score_space {
	const struct recorded *recorded; /* borrowed */
	double optimum_ns, median_ns;
	double cutoff_ns;                /* time of a kernel near the optimum: 95 % of the way to it
					    from the median */
	uint64_t start_evals, end_evals; /* evaluations of random search to 1 % of the way, and to
					    the cut-off */
	double start_s, end_s;           /* time that they take: ends of the axis */
	double eval_s;                   /* mean time of an evaluation that passes, with its part of
					    those that fail */
	double budget_s;                 /* time of a run: a tenth more than the axis */
	double baseline_ns[SCORE_POINTS]; /* random search, at the points of the axis */
};

/* Finds the constants. ASC_INPUT where random search cannot come nearer to the optimum: one
 * configuration that passes, or one time for all. */
enum asc_status score_space_init(struct score_space *s, const struct recorded *r,
				 struct asc_err *e);

/* One run of a search. */
struct score_run {
	size_t n;
	double *end_s;  /* time at the end of each evaluation */
	uint32_t *best; /* rank of the best so far, from 0; SCORE_NO_RANK: none has passed */
};
#define SCORE_NO_RANK UINT32_MAX

/* Rank of a time among the recorded ones: how many are less. */
uint32_t score_rank(const struct score_space *s, double time_ns);

struct score {
	double mean;                   /* the score */
	double at[SCORE_POINTS];       /* score at each point; NaN where random search is at the
					  optimum, which does not count */
	double curve_ns[SCORE_POINTS]; /* best time of a kernel, by the mean rank of the runs */
};

/* Scores at least one run. What a run that ends before the budget has found stands to the end. */
enum asc_status score_runs(const struct score_space *s, const struct score_run *runs, size_t n,
			   struct score *out, struct asc_err *e);

#endif
