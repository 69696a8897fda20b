/* The schema, as numbered migrations: PRAGMA user_version says how many a file has had, PRAGMA
 * application_id that it is ours. */
#ifndef ASCTUNE_DB_MIGRATE_H
#define ASCTUNE_DB_MIGRATE_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct db;

/* Reads only. *current: nothing is left to do. ASC_NEWER for a file of a newer version, ASC_INPUT
 * for a file that holds something of another program. An empty file is ours and not current. */
enum asc_status migrate_check(struct db *d, bool *current, struct asc_err *e);

/* Brings the file to the newest schema, one transaction a step; other processes may do the same at
 * the same time. */
enum asc_status migrate_run(struct db *d, struct asc_err *e);

#endif
