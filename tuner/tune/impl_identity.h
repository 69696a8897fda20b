/* Identity of an implementation on a device: the toolchains of its calls, the sources and options
 * they are built of, and the key under which its results stay valid. */
#ifndef ASCTUNE_TUNE_IMPL_IDENTITY_H
#define ASCTUNE_TUNE_IMPL_IDENTITY_H

#include <stddef.h>

#include "tuner/base/err.h"

struct binding;
struct evaluator_target;
struct impl_search;
struct loop_options;
struct workload;

/* Sets search->toolchain: toolchains of its calls, each once. Else `reason`, which was empty, says
 * why a builder, or a library, cannot be used for this device. */
enum asc_status impl_identity_find_toolchain(struct impl_search *search, const struct workload *w,
					     const struct evaluator_target *target, char *reason,
					     size_t size, struct asc_err *e);

/* Answers this program, which asks for the identity of the vendor's library that has a function. */
enum asc_status impl_identity_answer(const char *device, const char *source, const char *function,
				     struct asc_err *e);

/* Sets the key, options and sources of a search whose toolchain is known. */
enum asc_status impl_identity_make(const struct loop_options *o, const struct binding *b,
				   struct impl_search *search, struct asc_err *e);

#endif
