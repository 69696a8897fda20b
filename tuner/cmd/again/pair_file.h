/* A scratch file with the workload of two kernels (workload/workload_pair), opened, which children
 * may read. */
#ifndef ASCTUNE_CMD_AGAIN_PAIR_FILE_H
#define ASCTUNE_CMD_AGAIN_PAIR_FILE_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload_pair.h"

struct pair_file { /* the caller's storage, zeroed at first */
	char *folder, *path;
	struct workload *workload;
};

/* `simulated`: as for workload_file_open(). Closed by the caller, whatever comes of it. */
enum asc_status pair_file_open(const struct pair_side sides[PAIR_SIDES], bool simulated,
			       struct pair_file *out, struct asc_err *e);
void pair_file_close(struct pair_file *f);

#endif
