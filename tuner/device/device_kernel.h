/* Kernels of devices: what all kinds of devices keep of one. A kind has a table of what differs
 * (struct kernel_ops) and a struct for its kernels that begins with struct device_kernel. */
#ifndef ASCTUNE_DEVICE_DEVICE_KERNEL_H
#define ASCTUNE_DEVICE_DEVICE_KERNEL_H

#include "tuner/device/device.h"

enum { DEVICE_KERNEL_ALIGN = 128 }; /* of a tensor map, the strictest of all arguments */

struct device_kernel {
	const struct kernel_ops *ops;
	struct vendor_kernel *vendor; /* set instead of what load makes; owned */
	bool bound;                   /* the last bind succeeded: it can be launched */
	/* Of one that may work anywhere, on any stream and from any thread (vendor_ops.anywhere),
	 * and so is timed alone: */
	bool anywhere;
	bool timed;    /* it was, once */
	bool waits;    /* its launch waits for the device: the stream is not held for it */
	bool apart;    /* its work does not wait for the device's stream */
	size_t pieces; /* records of a launch, the most so far; 0: not known */
};

struct kernel_ops {
	size_t kernel_bytes; /* size of the struct that begins with struct device_kernel */
	/* Loads a file into a zeroed kernel; unload follows a failure, too. */
	enum asc_status (*load)(struct device *d, struct device_kernel *k, const char *artifact,
				const char *entry, struct asc_err *e);
	/* Lets go all but the vendor's function, which goes next. */
	void (*unload)(struct device *d, struct device_kernel *k);
	/* As device_ops.bind, of the vendor's functions too. */
	enum asc_status (*bind)(struct device *d, struct device_kernel *k, const struct plan *plan,
				struct device_buffer *const *tensors,
				struct device_buffer *const *scratch, struct asc_err *e);
};

enum asc_status device_kernel_load(const struct kernel_ops *ops, struct device *d,
				   const char *artifact, const char *entry,
				   struct device_kernel **out, struct asc_err *e);
enum asc_status device_kernel_adopt(const struct kernel_ops *ops, struct vendor_kernel *v,
				    struct device_kernel **out, struct asc_err *e);

/* Operations as in device_ops. */
void device_kernel_unload(struct device *d, struct device_kernel *k);
enum asc_status device_kernel_bind(struct device *d, struct device_kernel *k,
				   const struct plan *plan, struct device_buffer *const *tensors,
				   struct device_buffer *const *scratch, struct asc_err *e);

/* The first kernel of `s` that may work anywhere; NULL: there is none. */
struct device_kernel *device_kernel_anywhere(const struct device_sequence *s);

/* Checks that each kernel has its arguments: ASC_USAGE. */
enum asc_status device_check_bound(const struct device_sequence *s, struct asc_err *e);

#endif
