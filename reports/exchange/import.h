/* Import of results that were measured elsewhere, as simulated ones, which never mix with results
 * measured here. */
#ifndef ASCTUNE_EXCHANGE_IMPORT_H
#define ASCTUNE_EXCHANGE_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct import;
struct importer_ops;

struct import_names {
	const char *workload, *device; /* default; NULL: the file's name */
	const char *version;           /* version of this program */
};

struct import_summary {
	bool known; /* the same results were recorded before: nothing was recorded now */
	int64_t results, ok;
	bool untimed; /* these are configurations, which were not measured */
};

/* Reads a file, by its content where `ops` is NULL, and checks it as a whole. Errors name the path.
 */
enum asc_status import_open(const char *path, const struct importer_ops *ops, struct import **out,
			    struct asc_err *e);
void import_close(struct import *i);

/* Records the file in one transaction. */
enum asc_status import_record(struct import *from, struct db *d, const struct import_names *names,
			      struct import_summary *out, struct asc_err *e);

#endif
