/* Import of results that were measured elsewhere, as simulated ones, which never mix with results
 * measured here. */
#ifndef ASCTUNE_REPORTS_IMPORT_IMPORT_T4_H
#define ASCTUNE_REPORTS_IMPORT_IMPORT_T4_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct import_t4;

struct import_names {
	const char *workload, *device; /* default; NULL: the file's name */
	const char *version;           /* version of this program */
};

struct import_summary {
	bool known; /* the same results were recorded before: nothing was recorded now */
	int64_t results, ok;
};

/* Reads a file and checks it as a whole. Errors name the path. */
enum asc_status import_t4_open(const char *path, struct import_t4 **out, struct asc_err *e);
void import_t4_close(struct import_t4 *i);

/* Records the file in one transaction. */
enum asc_status import_t4_record(struct import_t4 *from, struct db *d,
				 const struct import_names *names, struct import_summary *out,
				 struct asc_err *e);

#endif
