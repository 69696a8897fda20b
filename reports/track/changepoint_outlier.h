/* Bad nights of a history: points that stand far from the level around them. */
#ifndef ASCTUNE_TRACK_CHANGEPOINT_OUTLIER_H
#define ASCTUNE_TRACK_CHANGEPOINT_OUTLIER_H

#include <stddef.h>

/* Copies the values, and puts the level in place of those that are more than eight spreads off it,
 * which is Hampel's rule ("The Influence Curve and its Role in Robust Estimation", 1974). The level
 * is the median of nine neighbours, so that five points at the same height are no outliers, nor are
 * two at the end; it is far only where the nine up to the point, around it and from it on say so.
 *
 * The spread is the 80 % quantile of the differences of neighbours, as normal noise has it: a
 * stretch of bad nights makes two large ones, however long it is, and does not widen it. Values
 * that often leave the level, one in nine or more, do: that is their noise.
 *
 * `scratch` has room for n; `out` may be `values`. Fewer than CHANGEPOINT_POINTS are copied. */
void outliers_replace(const double *values, size_t n, double *scratch, double *out);

#endif
