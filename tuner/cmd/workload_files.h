/* The workload files that FILE or FOLDER names. */
#ifndef ASCTUNE_CMD_WORKLOAD_FILES_H
#define ASCTUNE_CMD_WORKLOAD_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct workload;

struct workload_files {
	char **paths; /* heap strings, sorted */
	size_t n;
};

/* Finds workload files: a file itself; of a folder its *.json files that have an "asctune" member.
 * ASC_NOTFOUND when there is none. */
enum asc_status workload_files_find(const char *path, struct workload_files *out,
				    struct asc_err *e);
void workload_files_fini(struct workload_files *f);

/* Opens one of them as workload_open() does; `untrusted`: refuses what tune/evaluate/untrusted
 * refuses, with the first fault; `twins`: for a stand-in, which runs twins in the place of kernels.
 */
enum asc_status workload_file_open(const char *path, bool untrusted, bool twins,
				   struct workload **out, struct asc_err *e);

#endif
