/* What a Triton kernel is, as an interpreter that imports it says: asked once, and again when one
 * of its files has changed.
 *
 * The module of a kernel runs in a process of its own, in the sandbox and with a time limit. */
#ifndef ASCTUNE_BUILD_TRITON_KERNEL_H
#define ASCTUNE_BUILD_TRITON_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct build_request;
struct triton_python;

/* Finds the digest of the request's kernel: of its text, of all that it calls and of the globals
 * that it reads; borrowed until the next call. ASC_ABSENT where its module cannot be imported,
 * ASC_INPUT where there is no such kernel. */
enum asc_status triton_kernel_digest(const struct triton_python *python,
				     const struct build_request *r, const char **out,
				     struct asc_err *e);

/* Finds whether the kernel has a tl.constexpr of that name; errors as triton_kernel_digest(). */
enum asc_status triton_kernel_takes(const struct triton_python *python,
				    const struct build_request *r, const char *name, bool *out,
				    struct asc_err *e);

/* Checks that the kernel takes what `text`, a request of triton_helper.py, passes; errors as
 * triton_kernel_digest(), ASC_INPUT naming both sides. `limit_ns` bounds the import; 0: as for a
 * digest. */
enum asc_status triton_kernel_check(const struct triton_python *python,
				    const struct build_request *r, const char *text,
				    int64_t limit_ns, struct asc_err *e);

#endif
