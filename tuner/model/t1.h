/* Search-space files in the FAIR autotuning "T1" format: parameters with values, conditions. What
 * is written can be read again, and by Kernel Tuner 1.5.0. */
#ifndef ASCTUNE_MODEL_T1_H
#define ASCTUNE_MODEL_T1_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct json_doc;
struct json_writer;
struct space;
struct space_spec;

bool t1_recognise(const struct json_doc *doc); /* has a "ConfigurationSpace" */
enum asc_status t1_space(const struct json_doc *doc, struct space **out, struct asc_err *e);

/* The file's KernelSpecification; texts are expressions over parameters and names of the space. */
struct t1_kernel {
	const char *language, *name, *file, *device; /* language: CUDA, OpenCL, Vulkan */
	const char *global[3], *local[3];            /* NULL: 1 */
};

/* Writes the whole document. A condition that depends on what nothing tells is left out, as it does
 * not prune either. ASC_INPUT for one that the format has no words for. */
enum asc_status t1_write(struct json_writer *w, const char *name, const struct space_spec *spec,
			 const struct t1_kernel *kernel, struct asc_err *e);

#endif
