/* Joins databases: what another file holds comes into this one, each thing once.
 *
 * Runs are known by their uid, what they refer to by its content, so the order of files and how
 * often one is merged do not matter. A run that was in progress is completed. Rows that runs share
 * say what the newest measured run says, the highest peaks of a device stand. */
#ifndef ASCTUNE_DB_MERGE_H
#define ASCTUNE_DB_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_merged { /* what came */
	int64_t runs, trials, acknowledgements;
	int64_t completed; /* runs that were here in part */
	int64_t known;     /* runs of which everything was here */
};

/* All of the file at `path` or nothing of it, in one transaction. The file is only read. `d` is
 * open for writing. ASC_USAGE when the two are the same file; other errors as for opening either.
 */
enum asc_status db_merge(struct db *d, const char *path, struct db_merged *out, struct asc_err *e);

/* True for a table whose rows are merged. */
bool merge_has_table(const char *name);

#endif
