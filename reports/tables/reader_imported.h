/* Rows of libraries' tables that a database has imported: what a library takes without an exported
 * file, and configurations that a search tries first. */
#ifndef ASCTUNE_TABLES_READER_IMPORTED_H
#define ASCTUNE_TABLES_READER_IMPORTED_H

#include "tuner/base/err.h"

struct db;
struct implementation;
struct problem;
struct reader_ops;
struct reader_table;
struct workload;

/* Reads the rows of a reader's file of that name that were imported, in its order; a '/' and what
 * is before it do not count, so that `key` tells apart files that are of one each. No rows where
 * none were. */
enum asc_status reader_read_imported(struct db *d, const struct reader_ops *ops, const char *file,
				     const char *key, struct reader_table *out, struct asc_err *e);

/* Takes a configuration by an implementation's own names, "BLOCK=64,num_warps=4": those of its
 * parameters that the row has. The text is borrowed during the call. */
typedef enum asc_status reader_known_fn(void *user, const struct implementation *i,
					const char *config, struct asc_err *e);

/* Visits, for each library that the workload names in its "export" and each implementation, the
 * imported row that serves the problem on a device of that model. Nothing is visited where there is
 * no database at `path`, or none that can be read. */
enum asc_status reader_each_known(const char *path, const struct workload *w,
				  const struct problem *p, const char *device,
				  reader_known_fn *visit, void *user, struct asc_err *e);

#endif
