/* The folder of `asctune build -o DIR`: artifacts, and for each configuration a file of JSON that
 * says what a launch of it needs. */
#ifndef ASCTUNE_CMD_BUILD_BUILD_FILES_H
#define ASCTUNE_CMD_BUILD_BUILD_FILES_H

#include "tuner/base/err.h"

struct build_event;
struct built_kernel;
struct evaluator_target;

/* Writes the files of a configuration that was built or planned, and nothing for others:
 *
 *     WORKLOAD-IMPLEMENTATION-KEY.cubin            the artifact of a kernel; equal ones are one
 *     WORKLOAD-PROBLEM-IMPLEMENTATION-DIGEST.json  of the configuration
 *
 * Replaces only what it has written. ASC_USAGE for another file in the place of one. */
enum asc_status build_files_write(const char *folder, const struct evaluator_target *t,
				  const struct build_event *event,
				  const struct built_kernel *kernels, struct asc_err *e);

#endif
