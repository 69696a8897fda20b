/* The contents of input tensors: the same on every machine for the same seed and tensor name. */
#ifndef ASCTUNE_WORKER_INPUTS_H
#define ASCTUNE_WORKER_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/binding/binding.h"

struct worker_problem_request;

/* Seed of the tensor's own stream, which makes two tensors of one problem different. */
uint64_t inputs_seed(uint64_t seed, const char *tensor);

/* Seeds are below it: messages hold numbers up to 2^53 exactly. */
#define INPUT_SEEDS_BELOW (UINT64_C(1) << 53)

enum {
	INPUTS_SEED = 1,    /* seed of the first set of inputs, for ever: so references are computed
			       once, and bits and results of different runs compare */
	INPUTS_VERSION = 3, /* version of the numbers: references of other versions do not count */
	INPUTS_PART = 1 << 18, /* elements */
};

/* Number of parts in which a tensor can be filled, by as many threads: INPUTS_PART elements each,
 * but for the last; 1 where every element depends on those before it, or a function or a file has
 * them. */
size_t inputs_parts(const struct binding *b, size_t tensor);

/* Writes one part to its place in `out`, where the whole tensor goes; not for a function or a file.
 * Errors as below. */
enum asc_status inputs_fill_part(const struct binding *b, size_t tensor, uint64_t seed, size_t part,
				 void *out, struct asc_err *e);

/* Writes all elements of `tensor` (an index into the workload's tensors, present there) in its
 * dtype to `out`, which has the size that the binding says; not for a file. `artifact` is that of a
 * FILL_FUNCTION, else NULL. ASC_INPUT for a fill that makes no sense: 100 different numbers
 * below 64. */
enum asc_status inputs_fill(const struct binding *b, size_t tensor, uint64_t seed,
			    const char *artifact, void *out, struct asc_err *e);

/* Makes inputs of a problem by as many threads as there are processors, those of the given set: by
 * its seed, or from its files. inputs[i] is, for every tensor that is wanted, memory of its size to
 * be filled; else NULL. Each function of the workload is announced by request->doing before it
 * runs, unless that is NULL. */
enum asc_status inputs_make(const struct binding *b, const struct worker_problem_request *request,
			    size_t set, void *const inputs[WORKLOAD_MAX_TENSORS],
			    struct asc_err *e);

/* Checks what a tensor holds by its `contents`. ASC_INPUT names the first element that breaks
 * them. */
enum asc_status inputs_check(const struct binding *b, size_t tensor, const void *contents,
			     struct asc_err *e);

/* Describes the function of a tensor's FILL_FUNCTION, `void entry(double *out, int64_t n, uint64_t
 * seed, ...)` with its values: built and called as a kernel of its own on the CPU. `call` borrows
 * from the tensor, `seed` is the tensor's own. ASC_INPUT for values that are no integers. */
enum asc_status input_function_plan(const struct binding *b, size_t tensor, uint64_t seed,
				    struct callable *call, struct plan *plan, struct asc_err *e);

#endif
