/* Requests for kernels of a bound workload. Macros that a kernel sees, beside those of its flags:
 *
 *     DTYPE_f64=0 ...         a number for each element type
 *     DTYPE_T=DTYPE_f32       the type of the problem's dtype variable T, for #if
 *     CTYPE_T=float           and the language's type for it
 *     BLOCK_M=64              every build-stage parameter (of a call that lists its parameters:
 *                             those) and every constant; truth values as 0 and 1, a dtype as the
 *                             language's type; null: no macro
 *
 * Sizes are arguments and launch-stage parameters are not seen at all, so one artifact serves all
 * problems of a type. The reference and fill functions get no macros: their tensors are doubles. */
#ifndef ASCTUNE_TUNE_EVALUATE_KERNEL_REQUEST_H
#define ASCTUNE_TUNE_EVALUATE_KERNEL_REQUEST_H

#include "tuner/build/build_request.h"

struct binding;
struct builder_ops;
struct callable;
struct config;
struct implementation;
struct plan;

struct kernel_source { /* all borrowed */
	const struct binding *binding;
	const struct callable *call;
	const struct implementation *implementation; /* NULL: the reference or a fill function */
	const struct config *config;                 /* values in the order of `names` */
	const char *const *names;
	const struct plan *plan; /* types of the arguments; NULL: a shared request */
	const char *device, *arch;
	const char *program; /* path of this executable */
};

/* Fills *out, for build_request_fini(); it has failed (ASC_INPUT) where the callable has no entry
 * for the device. */
void kernel_request(const struct builder_ops *b, const struct kernel_source *k,
		    struct build_request *out);

/* What a device loads for a call for which nothing is built: a vendor's "openblas:gemm",
 * "python:MODULE:FUNCTION" or "python:/PATH/FILE.py:FUNCTION". Heap string, NULL when out of
 * memory. */
char *kernel_artifact(const struct kernel_source *k);

/* Asks the builder whether the request fits the kernel, as builder_ops.inspect does. */
enum asc_status kernel_request_inspect(const struct builder_ops *b, const struct kernel_source *k,
				       struct asc_err *e);

#endif
