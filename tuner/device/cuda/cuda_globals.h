/* What a module keeps from one launch of its kernels to the next: its variables in the device's
 * memory, which a kernel may write. They are put back before each launch to what they were once the
 * module was loaded, so that no launch finds answers of an earlier one.
 *
 * A struct cuda_globals is the caller's storage, zeroed before. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_GLOBALS_H
#define ASCTUNE_DEVICE_CUDA_CUDA_GLOBALS_H

#include "tuner/device/cuda/cuda_device.h"

/* A section of variables lies in one piece, and a module has two of them. More pieces would be more
 * entries of the driver's queue than a held stream has room for (MAX_BLOCKED of the clock). */
enum { CUDA_MAX_PIECES = 8 };

struct cuda_globals {
	struct cuda_piece { /* variables of a section that the driver has placed together */
		cuda_address section; /* address at which the section begins */
		uint64_t begin, end;  /* of the variables, within the section */
		unsigned number;      /* of the section */
		bool zero;            /* it begins as zeros */
	} pieces[CUDA_MAX_PIECES];
	size_t n;
	cuda_address first; /* contents of the pieces that do not begin as zeros, one behind the
			       other; 0: there are none */
	char kept[160];     /* what is not put back, for the user; "" where all is */
};

/* Finds the variables of a loaded module by the symbols of its image, of n bytes, and copies their
 * contents; waits for that. An image that is no cubin tells none. */
enum asc_status cuda_globals_take(struct device *d, struct CUmod_st *module, const void *image,
				  size_t n, struct cuda_globals *out, struct asc_err *e);

/* Puts writing the contents back into the stream: one entry for each piece, by copies and fills,
 * which are no kernels that a clock would count. */
enum asc_status cuda_globals_restore(struct device *d, const struct cuda_globals *g,
				     struct asc_err *e);

size_t cuda_globals_bytes(const struct cuda_globals *g); /* number of bytes that are put back */
void cuda_globals_free(struct device *d, struct cuda_globals *g);

#endif
