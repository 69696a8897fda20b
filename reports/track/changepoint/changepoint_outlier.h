/* Bad nights of a history: points that stand far from the level around them. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_OUTLIER_H
#define ASCTUNE_TRACK_CHANGEPOINT_CHANGEPOINT_OUTLIER_H

#include <stddef.h>

/* Copies the values. A value that is more than eight spreads off the level is replaced by the
 * level, which is Hampel's rule ("The Influence Curve and its Role in Robust Estimation", 1974).
 * The level is the median of nine neighbours, so that five points at the same height are no
 * outliers, nor are two at the end; it is far only where the nine up to the point, around it and
 * from it on say so.
 *
 * The spread is the 80 % quantile of the differences of neighbours, as normal noise has it, and a
 * lower one down to the median in series of less than 46 points, in which four bad nights make more
 * than a fifth of the differences large. A stretch of bad nights makes two, however long it is.
 * Values that often leave the level, one in nine of a long series, widen the spread: that is their
 * noise.
 *
 * `scratch` has room for n; `out` may be `values`. Fewer than CHANGEPOINT_POINTS are copied. */
void outliers_replace(const double *values, size_t n, double *scratch, double *out);

/* Probability that at least `least` of n points are outliers where a point is one with probability
 * `part`: the binomial distribution's tail. */
double outliers_probability(size_t n, size_t least, double part);

#endif
