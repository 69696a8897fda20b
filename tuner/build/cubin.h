/* Facts of a kernel, read from its cubin, machine code for NVIDIA GPUs: no driver and no GPU are
 * needed. */
#ifndef ASCTUNE_BUILD_CUBIN_H
#define ASCTUNE_BUILD_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct cubin_kernel {
	int64_t registers;    /* of a thread */
	int64_t local_bytes;  /* stack of a thread: spilled registers and arrays */
	int64_t shared_bytes; /* static shared memory of a block, as the driver counts it */
	int64_t spills; /* instructions that store or load a spilled register; -1: its compiler does
			   not say */
};

/* Reads n bytes, which anybody may have written. ASC_INPUT: they are no cubin, are cut off, or have
 * no kernel of that name. */
enum asc_status cubin_read(const void *data, size_t n, const char *kernel, struct cubin_kernel *out,
			   struct asc_err *e);

#endif
