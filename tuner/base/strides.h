/* Strides: how many elements lie from one to the next along each dimension of a tensor. */
#ifndef ASCTUNE_BASE_STRIDES_H
#define ASCTUNE_BASE_STRIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRIDES_MAX_RANK = 64 };

/* Sets the strides of elements that follow each other, the last dimension fastest. */
void strides_set(const int64_t *shape, size_t rank, int64_t *strides);

/* True where two elements may lie in one place: taken by their strides, the shortest first, a
 * dimension does not step over all that lies in those before it. (A few views without such elements
 * do neither, and count as well: shape [3, 2] at strides [2, 3].) `rank` <= STRIDES_MAX_RANK. */
bool strides_overlap(const int64_t *shape, const int64_t *strides, size_t rank);

#endif
