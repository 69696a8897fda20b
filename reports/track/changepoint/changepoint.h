/* Change points of a series of numbers: where its level moves, and by how much.
 *
 * Method, one fixed setting for every series. Points far from the level around them, fewer than 5
 * on end, are taken to be at that level: a bad night says nothing of the noise of the others
 * (changepoint_outlier). Then:
 * 1. A piecewise constant is fitted with absolute deviations (so outliers count little) for a range
 *    of penalties per segment, exactly, by dynamic programming (Friedrich, Kempe, Liebscher and
 *    Winkler, "Complexity penalized M-estimation: fast computation", 2008): changepoint_fit.
 * 2. Of these fits the one is taken whose description is shortest when its residuals may be
 *    autocorrelated: n ln(mean |e_i - rho e_(i-1)|) + 1.4 to 2 ln(n) segments, rho by least
 *    absolute deviations. The form is Schwarz's for Laplace noise, with a place and a level for
 *    each segment; fitting rho is what asv's step detection does: changepoint_noise.
 * 3. The same with the slope taken out that the segments share, where that describes the series
 *    better, and again with what is found then: drift_find().
 * 4. Each change is tested between its two segments: Huber's location of either side, the standard
 *    error of their difference by the spread on either side, widened for autocorrelation (Newey and
 *    West, 1987), and the probability that the largest such statistic over all positions is as
 *    large by chance (Csorgo and Horvath, "Limit Theorems in Change-Point Analysis", 1997, 1.3.26).
 *    The least probable change goes first until each stands: changepoint_level.
 * 5. Two to four oldest points are a level where they are 4.5 standard errors below the points
 *    behind them and outliers explain them with a probability of 0.001 at most; those that stand
 *    apart by less are `first`.
 * 6. The newest ten points get a test of their own, so that a clear change is seen after two of
 *    them: 3.95 standard errors, with which 2 in 100 series of 100 nights of noise are called
 *    slower on any night. Further bad nights are no evidence against a change
 *    (changepoint_level); where earlier ones were as far off, so many newest ones must be that
 *    outliers of that frequency explain them with a probability of 0.001 at most. The others stand
 *    at p < 0.001.
 * 7. A slope that the segments share although the search did not need it is stated where it is
 *    clear (3.3 standard errors). Its error widens the intervals of the changes. Series of
 *    fewer than 20 points have none.
 *
 * A segment has at least 5 points, but for the oldest and the newest one, which have at least 2:
 * shorter ones are outliers. A change of spread alone is none. Pure functions; the same input gives
 * the same output everywhere. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_H
#define ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

enum { CHANGEPOINT_POINTS = 7 }; /* shorter series have no changes */

struct changepoint {
	size_t index; /* index (from 0) of the first point of the new segment */
	double before,
		after;    /* levels on either side; of a series that drifts those at the change */
	double low, high; /* 95 % interval of after - before */
	double p; /* probability of so large a change by chance anywhere between its neighbours */
};

struct changepoints {             /* zeroed before use; the caller's to changepoints_fini() */
	struct changepoint *list; /* changes in order of their index */
	size_t n;
	double drift;        /* slope per point; 0: none removed */
	bool drift_is_clear; /* the slope stands at p < 0.001 */
	double spread;       /* standard deviation of single points around their level */
	double level;        /* level of the newest points */
	double inflation;    /* factor by which autocorrelation widens variances of newest points */
	double drift_error;  /* standard error of a slope that was taken out; 0: none was */
	size_t first;    /* oldest points, at most 4, that are far from the level behind them, and
			    too few to tell whether they are another one; 0: none */
	double first_at; /* their level */
};

/* `values` are finite. ASC_NOMEM is the only failure. */
enum asc_status changepoints_find(const double *values, size_t n, struct changepoints *out,
				  struct asc_err *e);

/* Returns the floor of a series of `n` points: the least step, so many points ago (fewer in a short
 * series), that these points would show with a probability of 90 % as a change whose p is at most
 * `most_p`; in units of the values, 0 where a level is too short to tell. With s the spread with
 * the degrees of freedom that the levels leave, a the points that are new and b those of the same
 * level before: (t + 1.28) s sqrt(inflation (1/a + 1/b)), t being Student's quantile of step 5, or
 * of most_p where that is stricter. */
double changepoints_floor(const struct changepoints *c, size_t n, size_t ago, double most_p);
void changepoints_fini(struct changepoints *c);

#endif
