/* Search-space files in the FAIR autotuning "T1" format: parameters with values, conditions.
 * asctune reads its own files again, and Kernel Tuner 1.5.0 does too. */
#ifndef ASCTUNE_WORKLOAD_SPACE_T1_H
#define ASCTUNE_WORKLOAD_SPACE_T1_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct json_doc;
struct json_writer;
struct space;
struct space_spec;

bool t1_recognise(
	const struct json_doc *doc); /* True for a document with a "ConfigurationSpace". */
enum asc_status t1_space(const struct json_doc *doc, struct space **out, struct asc_err *e);

/* The file's KernelSpecification; texts are expressions over parameters and names of the space. */
struct t1_kernel {
	const char *language, *name, *file, *device; /* language: CUDA, OpenCL, Vulkan */
	const char *global[3], *local[3];            /* size; NULL: 1 */
};

/* Writes the whole document, of n kernels that are launched as one. Leaves out a condition on an
 * unknown fact, which does not prune either. ASC_INPUT for a condition that the format cannot
 * express. */
enum asc_status t1_write(struct json_writer *w, const char *name, const struct space_spec *spec,
			 const struct t1_kernel *kernels, size_t n, struct asc_err *e);

#endif
