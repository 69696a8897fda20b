/* The part of attention between two matrix products, for libraries that only have the products. */
#ifndef ASCTUNE_DEVICE_SOFTMAX_H
#define ASCTUNE_DEVICE_SOFTMAX_H

#include <stdint.h>

/* Replaces the first `visible` (at least 1) of `n` scores by 2^(score - largest), the others by 0;
 * returns the sum. Within 4 units in the last place of each weight down to 2^-126, where weights
 * end. */
typedef float softmax_row_fn(float *row, int64_t n, int64_t visible);

/* The fastest form for this processor. */
softmax_row_fn *softmax_row_choose(void);

#endif
