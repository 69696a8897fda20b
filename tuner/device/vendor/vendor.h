/* Vendor libraries: ready-made functions that stand beside tuned kernels, as baselines.
 *
 * An implementation with builder `vendor` and source "openblas:gemm" is function `gemm` of the
 * library `openblas` below. The function is loaded, bound, launched, verified and timed like a
 * kernel of its device; its parameters reach it as scalar arguments and as launch.threads.
 * Libraries are opened with dlopen when they are first asked for. */
#ifndef ASCTUNE_DEVICE_VENDOR_VENDOR_H
#define ASCTUNE_DEVICE_VENDOR_VENDOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct buf;
struct device;
struct device_buffer;
struct device_kernel;
struct device_ops;
struct plan;
struct result;
struct vendor_call;
struct vendor_kernel;

/* Memory that a call works on: a tensor, its innermost dimension last, or scratch memory, which has
 * no shape. Shapes, strides and offsets count elements. */
struct vendor_operand {
	void *memory;  /* NULL: an absent tensor, or a scalar */
	void *address; /* of the first element, `offset` behind that; NULL where that is */
	size_t rank;
	int64_t shape[WORKLOAD_MAX_RANK], strides[WORKLOAD_MAX_RANK], offset;
	enum dtype type;
	bool scattered; /* its elements do not follow each other, row by row */
	bool on_host;   /* in memory of the host, where that is not the device's */
};

/* Place of a call on a device. */
struct vendor_site {
	const struct plan *plan;               /* valid during prepare; has the scalars */
	const struct vendor_operand *operands; /* valid during prepare; of each argument */
	const struct device_ops *ops;          /* of the device, whose memory operands lie in */
	struct device *device;
	void *queue; /* queue of the device, valid until fini: struct cpu_threads of a CPU, CUstream
			of a GPU, aclrtStream of an NPU, whose context is current */
};

/* Properties of a prepared call, known after phase one. */
struct vendor_needs {
	size_t workspace_bytes; /* memory of the device that it needs beside its arguments */
	bool capturable;        /* it may be recorded into a graph of launches */
	char note[160];         /* what the user is to know of the call; "": nothing */
	char work[400];         /* of a launch on the device, as work_print(); "": not known */
};

struct vendor_ops {
	int revision; /* version of the calls as this library makes them: raised when they change,
			 so that recorded results no longer count */
	const char *name, *summary;
	const char *device; /* kind of device whose memory the library works on; NULL: any */
	const char *const *functions; /* NULL-terminated; NULL: a source names what it likes */
	/* prepare makes calls until what they start, threads and children, is there. What is left
	 * behind by later ones is theirs. */
	bool warms;
	/* Launches may work on any stream and from any thread, copy and fill: they are timed one by
	 * one, by all that the device does meanwhile. */
	bool anywhere;
	/* Opens the library, once in a process. ASC_ABSENT: it is not usable here. */
	enum asc_status (*open)(struct asc_err *e);
	/* Checks that the library that is opened has a function of the list: ASC_ABSENT where it
	 * has not. NULL: it has all of them. */
	enum asc_status (*has)(const char *function, struct asc_err *e);
	/* Appends the library's own words on its version and build; where there are several
	 * libraries, of the one with the function `name`. */
	enum asc_status (*identity)(const char *name, struct buf *out, struct asc_err *e);
	/* Phase one: decides how the call is made. `needs` is zeroed before. ASC_INPUT for
	 * arguments that the function does not take. */
	enum asc_status (*prepare)(const struct vendor_site *site, const char *function,
				   struct vendor_call **out, struct vendor_needs *needs,
				   struct asc_err *e);
	/* Has a call that was prepared find the memory of the same plan at other addresses; the
	 * call is of no more use after a failure. NULL: it is prepared anew. */
	enum asc_status (*move)(struct vendor_call *c, const struct vendor_site *site,
				const char *function, struct asc_err *e);
	/* Sets up what another call of the library may have changed, before launches in a row and
	 * outside of their time. NULL: there is no such thing. */
	void (*ready)(struct vendor_call *c);
	/* Takes what each launch of the library would take for itself and give back, a lock, for
	 * launches in a row that the host's clock times; or gives it back. NULL: there is none. */
	void (*hold)(bool taken);
	/* Phase two: makes one launch with that much memory at `workspace` (NULL for 0 bytes),
	 * aligned to 64 bytes; on the CPU the launch has ended on return. */
	enum asc_status (*enqueue)(struct vendor_call *c, void *workspace, struct asc_err *e);
	/* After a launch that is verified, which has ended: takes what it has returned, checks it
	 * and copies it into the plan's tensors that are `returned`; nothing right stays in the
	 * library's own memory. ASC_INPUT for a result that is not what the plan says. A second
	 * time before another launch nothing is left to be taken. NULL: calls return nothing. */
	enum asc_status (*collect)(struct vendor_call *c, struct asc_err *e);
	void (*fini)(struct vendor_call *c);
};

/* Entries of vendor_list, each defined in a file of its own. */
extern const struct vendor_ops vendor_openblas, vendor_cublaslt, vendor_aclnn, vendor_atb,
	vendor_python;
extern const struct vendor_ops *const vendor_list[];

/* Finds the library of "openblas:gemm", or of "openblas" alone; NULL when unknown. */
const struct vendor_ops *vendor_find(const char *source);

/* Checks that `function` of `source` can run on this kind of device here: ASC_ABSENT where it
 * cannot.
 */
enum asc_status vendor_check(const char *source, const char *function, const char *device,
			     struct asc_err *e);

/* Appends what decides the results of `source` beside the arguments: library, its version, how it
 * is called. */
enum asc_status vendor_identity(const char *source, struct buf *out, struct asc_err *e);

/* ---- a function as a kernel of a device ---- */

/* True for a function of a library ("openblas:gemm", "python:/FOLDER/FILE.py:softmax"), false for
 * the path of an artifact, which always has a slash. */
bool vendor_is_source(const char *artifact);

/* True for a function whose bind makes calls until it is warm (vendor_ops.warms), which may take as
 * long as a compiler. */
bool vendor_warms(const char *artifact);
bool vendor_is_warm(const struct vendor_kernel *v);     /* it is of such a library */
bool vendor_is_anywhere(const struct vendor_kernel *v); /* of one with vendor_ops.anywhere */

/* Loads a function as device_ops.load loads an artifact: *out is a kernel of `d` like any other and
 * owns *v. ASC_ABSENT with the reason of vendor_check(). */
enum asc_status vendor_load(const struct device_ops *ops, struct device *d, const char *source,
			    const char *function, struct vendor_kernel **v,
			    struct device_kernel **out, struct asc_err *e);

/* The workspace, or NULL. */
struct device_buffer *vendor_workspace(const struct vendor_kernel *v);

/* What the user is to know of the call that is bound; "": nothing. Borrowed. */
const char *vendor_note(const struct vendor_kernel *v);

/* Does vendor_ops.collect after a launch that is verified; nothing where calls return nothing. */
enum asc_status vendor_collect(struct vendor_kernel *v, struct asc_err *e);

/* Operations for devices, as device_ops has them. device_ops.adopt hands `v` to the device, which
 * frees it with the kernel. Launching does not wait. */
enum asc_status vendor_kernel_bind(struct vendor_kernel *v, const struct plan *plan,
				   struct device_buffer *const *tensors,
				   struct device_buffer *const *scratch, void *queue,
				   struct asc_err *e);
void vendor_kernel_ready(struct vendor_kernel *v); /* before launches in a row, untimed */
void vendor_kernel_hold(struct vendor_kernel *v, bool taken); /* around them */
enum asc_status vendor_kernel_launch(struct vendor_kernel *v, struct asc_err *e);
/* Begins a row of launches whose times on the host count, or ends it. The time is the least median
 * of a row, or, where none has begun since the last bind, that of all launches; medians are those
 * of the last 64. */
void vendor_kernel_time_host(struct vendor_kernel *v, bool begins);
void vendor_kernel_free(struct vendor_kernel *v);

/* Adds facts of the calls of one launch as metrics of RESULT_KERNEL: bytes of their workspaces
 * (workspace_bytes), and of a device that queues the time that launching them takes on the host
 * (host_ns, as vendor_kernel_time_host() has it) and whether they can be captured (capturable, 0 or
 * 1; of what may work anywhere a profile tries it). The result's log names the work of a launch,
 * where it is known: kernels that a library has chosen. calls[i]: NULL for a kernel that was built;
 * nothing is added where all are. */
enum asc_status vendor_record_facts(struct vendor_kernel *const *calls, size_t n,
				    struct result *out, struct asc_err *e);

/* ---- for vendor libraries ---- */

struct vendor_argument { /* one argument that a function takes */
	const char *name;
	enum argument_kind kind;
	enum dtype type; /* SCALAR */
};

/* Checks that the site has what `wanted` (ended by a NULL name) lists, and tensors row by row;
 * ASC_INPUT names the first difference. */
enum asc_status vendor_check_arguments(const char *function, const struct vendor_argument *wanted,
				       const struct vendor_site *site, struct asc_err *e);

#endif
