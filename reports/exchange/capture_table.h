/* Values that a program computed for configurations of several problems, as the shortest thing that
 * says the same: a number, a name, or a table of a workload. */
#ifndef ASCTUNE_EXCHANGE_CAPTURE_TABLE_H
#define ASCTUNE_EXCHANGE_CAPTURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct arena;
struct json_node;
struct json_writer;

enum { CAPTURE_MAX_COLUMNS = 65 }; /* the problem, and an implementation's parameters */

struct capture_row {
	const struct value *cells;    /* the problem's number, then the parameters' values */
	const struct json_node *node; /* the value; NULL: true */
	const char *text;             /* the value as JSON, to be compared */
};

struct capture_table {
	const char *columns[CAPTURE_MAX_COLUMNS]; /* "problem", then parameters */
	size_t n_columns;
	struct capture_row *rows; /* on the heap */
	size_t n_rows, capacity;
	bool needs[CAPTURE_MAX_COLUMNS]; /* columns without which rows would contradict each other
					  */
	size_t n_needs;
};

void capture_table_fini(struct capture_table *t);

/* Adds a row; cells are copied into the arena. */
enum asc_status capture_table_add(struct capture_table *t, struct arena *arena,
				  const struct value *cells, const struct json_node *value,
				  struct asc_err *e);

/* Puts rows into the order of the columns that matter, and leaves one of those that are equal in
 * these. */
void capture_table_order(struct capture_table *t);

/* Finds the columns that matter. ASC_INPUT: two rows for one combination have different values. */
enum asc_status capture_table_shrink(struct capture_table *t, struct asc_err *e);

/* Writes the members "by" and "rows"; a problem stands by its name, p0. */
void capture_table_write(const struct capture_table *t, struct json_writer *w);

#endif
