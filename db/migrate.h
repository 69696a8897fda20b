/* The schema, as numbered migrations: PRAGMA user_version says how many a file has had, PRAGMA
 * application_id that it is ours. */
#ifndef ASCTUNE_DB_MIGRATE_H
#define ASCTUNE_DB_MIGRATE_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct db;

/* Checks the version, reading only. *current: the schema is the newest. ASC_NEWER for a file of a
 * newer version, ASC_INPUT for a file of another program. An empty file is accepted and not
 * current. */
enum asc_status migrate_check(struct db *d, bool *current, struct asc_err *e);

/* States what a file that is not current is: ASC_NOTFOUND for an empty one; ASC_INPUT for one of an
 * older version, nothing where `older` ones are read, or another process has brought it up to date.
 */
enum asc_status migrate_refuse(struct db *d, bool older, struct asc_err *e);

/* Brings the file to the newest schema in one transaction: what fails, or is killed, leaves an
 * empty file empty and an older one as it was. Other processes may do the same at the same time. */
enum asc_status migrate_run(struct db *d, struct asc_err *e);

/* Statements, ended by NULL (schema_best.c). They bring a database of version 9 to version 10: how
 * sure finals are. */
extern const char *const schema_best[];

/* Statements from version 13 to version 14: which runs were imported. */
extern const char *const schema_origin[];

/* Statements from version 17 to version 18 (schema_answers.c): answers to what is best as a table,
 * with views that name them. */
extern const char *const schema_answers[];

#endif
