/* Binaries of the stand-in: shared objects with a table of twins (workloads/npu/twin.h), loaded
 * from a file or from its bytes. */
#ifndef ASCTUNE_STANDIN_STANDIN_BINARY_H
#define ASCTUNE_STANDIN_STANDIN_BINARY_H

#include "standin/standin_core.h"
#include "workloads/npu/twin.h"

struct standin_binary {
	struct standin_object object;
	void *library;
	int file; /* that holds its bytes; -1: none */
	const struct twin_binary *table;
	uint32_t magic;   /* of rtDevBinaryRegister; 0: none */
	int64_t launches; /* that are queued or run */
};

struct standin_function {
	struct standin_object object;
	struct standin_binary *binary;
	const struct twin_kernel *kernel;
	int64_t number;   /* of the kernel in faults */
	const void *stub; /* host address that stands for it in rtKernelLaunch; NULL: none */
};

int standin_binary_load(const char *path, struct standin_binary **out);
int standin_binary_load_bytes(const void *data, size_t n, struct standin_binary **out);
int standin_binary_check(const struct standin_binary *b);
int standin_binary_unload(struct standin_binary *b); /* and its functions */

/* Finds a kernel by its name; the same function each time. */
int standin_binary_find(struct standin_binary *b, const char *name, struct standin_function **out);
int standin_function_check(const struct standin_function *f);

#endif
