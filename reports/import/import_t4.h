/* Takes results that were measured elsewhere into the database, as simulated ones, which never mix
 * with those that were measured here. */
#ifndef ASCTUNE_REPORTS_IMPORT_IMPORT_T4_H
#define ASCTUNE_REPORTS_IMPORT_IMPORT_T4_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct import_t4;

struct import_names {
	const char *workload, *device; /* for a file that does not say; NULL: from its name */
	const char *version;           /* of this program */
};

struct import_summary {
	bool known; /* the same results are there already: nothing was recorded */
	int64_t results, ok;
};

/* Reads a file and checks all of it. Errors name the path. */
enum asc_status import_t4_open(const char *path, struct import_t4 **out, struct asc_err *e);
void import_t4_close(struct import_t4 *i);

/* All of it in one transaction. */
enum asc_status import_t4_record(struct import_t4 *from, struct db *d,
				 const struct import_names *names, struct import_summary *out,
				 struct asc_err *e);

#endif
