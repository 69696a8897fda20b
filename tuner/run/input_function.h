/* Fills that are C functions of the workload: void entry(double *out, int64_t n, uint64_t seed). */
#ifndef ASCTUNE_RUN_INPUT_FUNCTION_H
#define ASCTUNE_RUN_INPUT_FUNCTION_H

#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/binding.h"

/* How the function of a FILL_FUNCTION is built and called: as a kernel of its own on the CPU.
 * `call` borrows from the tensor. */
void input_function_plan(const struct tensor *t, int64_t n, uint64_t seed, struct callable *call,
			 struct plan *plan);

/* Loads the artifact, runs it in this process, and writes what it made to `out` in the tensor's
 * dtype. `seed` is the tensor's own. */
enum asc_status input_function_fill(const struct tensor *t, const struct bound_tensor *bound,
				    uint64_t seed, const char *artifact, void *out,
				    struct asc_err *e);

#endif
