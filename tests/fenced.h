/* Tensors that end where an inaccessible page begins, so that a kernel that reads or writes beyond
 * the last element is stopped. They live as long as the test. */
#ifndef ASCTUNE_TESTS_FENCED_H
#define ASCTUNE_TESTS_FENCED_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"

/* Room for `bytes` bytes: its end; NULL if there is no memory. */
char *fenced_new(size_t bytes);

/* Stores n values as the last n elements and rounds them to the type; where the first one is. */
void *fenced_put(char *end, enum dtype t, double *values, int64_t n);

void fenced_take(const char *end, enum dtype t, double *values, int64_t n);

#endif
