/* What a module keeps from one launch of its kernels to the next: its variables in the device's
 * memory, which a kernel may write. They are put back before each launch to what they were once the
 * module was loaded, so that no launch finds answers of an earlier one.
 *
 * A struct cuda_globals is the caller's storage, zeroed before, and keeps its place. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_GLOBALS_H
#define ASCTUNE_DEVICE_CUDA_CUDA_GLOBALS_H

#include "tuner/device/cuda/cuda_device.h"

/* The driver has each variable as a memory of its own, with room between them: no copy or fill may
 * reach from one to the next (H200, driver 580). More of them would be more entries of the driver's
 * queue than a held stream has room for (MAX_BLOCKED of the clock). */
enum { CUDA_MAX_GLOBALS = 8 };

struct cuda_globals {
	struct cuda_global {
		cuda_address at;
		size_t bytes;
		bool zero; /* it begins as zeros */
	} list[CUDA_MAX_GLOBALS];
	size_t n;
	/* Contents of those that do not begin as zeros, one behind the other; NULL: there are
	 * none. Read-only: answers that a kernel left there would be put into its variables. */
	struct device_buffer *first;
	struct cuda_globals *next; /* of the device, where there is such a copy */
	char kept[160];            /* what is not put back, for the user; "" where all is */
};

/* Finds the variables of a loaded module by the symbols of its image, of n bytes, and copies their
 * contents; waits for that. An image that is no cubin tells none. */
enum asc_status cuda_globals_take(struct device *d, struct CUmod_st *module, const void *image,
				  size_t n, struct cuda_globals *out, struct asc_err *e);

/* Puts writing the contents back into the stream: one entry for each variable, by copies and
 * fills, which are no kernels that a clock would count. */
enum asc_status cuda_globals_restore(struct device *d, const struct cuda_globals *g,
				     struct asc_err *e);

/* device_ops.look, of the copies of all loaded modules, too, for cuda_globals_falsified(). */
enum asc_status cuda_globals_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				  enum device_harm *harms, struct asc_err *e);
bool cuda_globals_falsified(const struct device *d); /* device_ops.falsified */

size_t cuda_globals_bytes(const struct cuda_globals *g); /* number of bytes that are put back */
void cuda_globals_free(struct device *d, struct cuda_globals *g);

#endif
