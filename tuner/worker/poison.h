/* Poison: what an output holds before a launch that is verified. No element of it is right, so that
 * one that a kernel does not write is found. */
#ifndef ASCTUNE_WORKER_POISON_H
#define ASCTUNE_WORKER_POISON_H

#include <stdint.h>

#include "tuner/base/err.h"

struct bound_tensor;
struct rng;

enum { POISON_BYTE = 0xFF }; /* every floating type reads a NaN of such bytes */

/* Makes the poison of an output with that reference, *out on the heap, in the order of its indices;
 * NULL where POISON_BYTE everywhere is poison enough. *n_left counts the elements that a launch is
 * to leave alone. */
enum asc_status poison_make(const struct bound_tensor *t, const double *reference, struct rng *rng,
			    void **out, int64_t *n_left, struct asc_err *e);

#endif
