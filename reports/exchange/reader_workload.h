/* Workloads of the kernels whose tables libraries read: the library's kernel, cut out of its
 * package, launched as the library launches it, at the sizes of the rows that a table has. Ladder,
 * defaults and names are those of the reader. */
#ifndef ASCTUNE_EXCHANGE_READER_WORKLOAD_H
#define ASCTUNE_EXCHANGE_READER_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct axes;
struct buf;
struct reader_kernel;

/* Files that a workload is made of. */
struct reader_files {
	const char *package; /* that has the kernel; NULL: what is installed */
	const char *routing; /* tokens of each expert; NULL: each has as many */
	uint64_t limit_s;    /* of an import of the kernel's module */
};

/* Makes the folder NAME with a workload of the kernel, as skeleton_write() does. `sizes` has the
 * layer's sizes and type. Appends a line for people, what was written. ASC_USAGE for a name or a
 * value that is none, ASC_INPUT for sizes that the library cannot launch, a file without tokens, a
 * package without the kernel or with another one. */
enum asc_status reader_workload_write(const struct reader_kernel *k, const struct axes *sizes,
				      const struct reader_files *files, const char *name,
				      struct buf *said, struct asc_err *e);

#endif
