/* Rows of the table that ends a run of several problems: what `best` says of each, asked when
 * everything is recorded. */
#ifndef ASCTUNE_CMD_RUN_RUN_ROWS_H
#define ASCTUNE_CMD_RUN_RUN_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct db;
struct loop_options;
struct run_row;

struct run_rows { /* the caller's storage, zeroed at first; run_rows_fini() */
	struct run_row *list;
	size_t n, room;
	bool failed; /* memory ran out for a row */
};

/* Notes a problem that was tuned. */
void run_rows_add(struct run_rows *r, const struct loop_options *o);

/* Prints the table to stdout, in the order in which the problems were tuned. */
enum asc_status run_rows_print(const struct run_rows *r, struct db *db, struct asc_err *e);
void run_rows_fini(struct run_rows *r);

#endif
