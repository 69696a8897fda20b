/* A table of text for a terminal: columns as wide as their widest cell, cells shown as text
 * (base/columns.h). */
#ifndef ASCTUNE_CMD_TABLE_H
#define ASCTUNE_CMD_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "tuner/base/err.h"

enum { TABLE_MAX_COLUMNS = 16 };

struct table {
	size_t columns;
	char **cells; /* row by row, heap strings */
	size_t n_cells, capacity;
	size_t right[TABLE_MAX_COLUMNS]; /* not 0: aligned to the right */
	int failed;
};

/* `header` has one word for each column, separated by '|'; a word that starts with '>' is aligned
 * to the right. */
void table_init(struct table *t, const char *header);
void table_fini(struct table *t);
void table_add(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* the next cell */
enum asc_status table_print(const struct table *t, FILE *to, struct asc_err *e);

/* Prints each row as lines, one for each cell that is not empty, where a line of the table would be
 * longer than $COLUMNS, else than the terminal is wide. */
enum asc_status table_print_fitting(const struct table *t, FILE *to, struct asc_err *e);

#endif
