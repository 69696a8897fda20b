/* Vendor libraries: ready-made functions that stand beside tuned kernels, as baselines.
 *
 * An implementation with builder `vendor` and source "openblas:gemm" is function `gemm` of the
 * library `openblas` below. It is loaded, bound, launched, verified and timed like a kernel of its
 * device; its parameters reach it as scalar arguments and as launch.threads. Libraries are opened
 * with dlopen when they are first asked for. */
#ifndef ASCTUNE_DEVICE_VENDOR_H
#define ASCTUNE_DEVICE_VENDOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"
#include "tuner/model/workload.h"

struct buf;
struct cpu_threads;
struct plan;
struct vendor_call;

enum { VENDOR_OPS_VERSION = 1 };

/* Where a call is to run; borrowed until vendor_ops.fini. */
struct vendor_site {
	const struct plan *plan; /* only during prepare */
	void *const *args; /* args[i] points to the value of argument i, as for kernels of the CPU:
			      of tensors and scratch a `void *` */
	struct cpu_threads *team; /* of the CPU device */
	void *stream;             /* CUstream of a GPU, whose context is current */
};

struct vendor_ops {
	int version;
	int revision; /* of the calls made here: one more when they change, so that recorded results
			 no longer count */
	const char *name, *summary;
	const char *device;           /* class of device whose memory it works on */
	const char *const *functions; /* NULL-terminated */
	/* Usable here? If not, `reason` says why in words. */
	bool (*check)(char *reason, size_t size);
	/* The library's own word on its version and build. */
	enum asc_status (*identity)(struct buf *out, struct asc_err *e);
	/* ASC_INPUT for arguments that the function does not take. */
	enum asc_status (*prepare)(const struct vendor_site *site, const char *function,
				   struct vendor_call **out, struct asc_err *e);
	/* One launch; on the CPU it is done on return. */
	enum asc_status (*enqueue)(struct vendor_call *c, struct asc_err *e);
	void (*fini)(struct vendor_call *c); /* NULL: nothing */
};

extern const struct vendor_ops *const vendor_list[];

/* The library of "openblas:gemm", or of "openblas" alone; NULL when unknown. */
const struct vendor_ops *vendor_find(const char *source);
const char *vendor_function(const struct vendor_ops *v, const char *name); /* its own text of it */

/* Can `function` of `source` run on this class of device here? If not, `reason` says why. */
bool vendor_check(const char *source, const char *function, const char *device, char *reason,
		  size_t size);

/* What decides the results of `source` beside the arguments: library, its version, how it is
 * called. */
enum asc_status vendor_identity(const char *source, struct buf *out, struct asc_err *e);

struct vendor_argument { /* what a function takes */
	const char *name;
	enum argument_kind kind;
	enum dtype type; /* SCALAR */
};

/* Does the plan pass what `wanted` (ended by a NULL name) lists? ASC_INPUT names the first
 * difference. */
enum asc_status vendor_check_arguments(const char *function, const struct vendor_argument *wanted,
				       const struct plan *plan, struct asc_err *e);

#endif
