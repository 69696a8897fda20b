/* Argument blocks of kernels: the packed structure that Triton's launcher for Ascend makes. In
 * order: the address of hardware synchronisation where the SoC has one; lock and workspace, null;
 * the kernel's arguments, addresses and 64 bits at multiples of 8, all others at multiples of 4;
 * three i32, the grid. */
#ifndef ASCTUNE_STANDIN_STANDIN_ARGUMENTS_H
#define ASCTUNE_STANDIN_STANDIN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/npu/twin.h"

enum { STANDIN_MAX_ARGUMENTS = 64 };

struct standin_arguments {
	union twin_argument values[STANDIN_MAX_ARGUMENTS]; /* addresses are the host's */
	const void *device[STANDIN_MAX_ARGUMENTS];         /* addresses of tensors, else NULL */
	size_t n;
};

/* Decodes a block; false, with the reason, where a device would go wrong with it. */
bool standin_arguments_decode(const struct twin_kernel *k, const unsigned char *block, size_t bytes,
			      uint32_t blocks, struct standin_arguments *out, char *why,
			      size_t size);

/* Bytes that the kernel's output has on the host; NULL: it has none. */
void *standin_arguments_output(const struct twin_kernel *k, const struct standin_arguments *a);
void standin_arguments_touch(const struct twin_kernel *k, const struct standin_arguments *a);

#endif
