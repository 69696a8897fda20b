/* One kernel that was built, as the outputs of `asctune build` have it: what its artifact says of
 * it, and what a launch of it needs. */
#ifndef ASCTUNE_CMD_BUILD_BUILT_KERNEL_H
#define ASCTUNE_CMD_BUILD_BUILT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/code/code_counts.h"

struct json_writer;
struct kernel_build;
struct verdict;

struct built_kernel {
	const struct kernel_build *build; /* borrowed */
	const char *entry;                /* name of the kernel in the artifact; borrowed */
	bool has_code;                    /* there is machine code whose facts are known: */
	struct code_counts code;
	int64_t shared_bytes;       /* of a block: static, and what the launch adds */
	const struct verdict *plan; /* of the memory planner; borrowed, NULL: none */
};

/* Reads the artifact of a build that has ended. */
void built_kernel_read(const struct kernel_build *k, struct built_kernel *out);

/* Writes members of an object: entry, artifact and what is known of the code, or of the plan. */
void built_kernel_write_facts(const struct built_kernel *k, struct json_writer *w);

/* Writes members of an object: formulas and values of the launch, and the arguments that the kernel
 * takes. A value is null where it needs a fact of the device, which is not here. */
void built_kernel_write_launch(const struct built_kernel *k, struct json_writer *w);

#endif
