/* A table of text for a terminal: columns as wide as their widest cell, cells shown as text
 * (base/columns.h), and notes below rows. */
#ifndef ASCTUNE_CMD_TERMINAL_TABLE_H
#define ASCTUNE_CMD_TERMINAL_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "tuner/base/err.h"
#include "tuner/cmd/terminal/ink.h"

enum { TABLE_MAX_COLUMNS = 16 };

struct table {
	size_t columns;
	struct table_cell *cells; /* row by row, the first are the heads */
	size_t n_cells, capacity;
	size_t right[TABLE_MAX_COLUMNS]; /* not 0: aligned to the right */
	int failed;
};

/* `header` has one word for each column, separated by '|'; a word that starts with '>' is aligned
 * to the right. */
void table_init(struct table *t, const char *header);
void table_fini(struct table *t);

/* The next cell. */
void table_add(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_add_inked(struct table *t, enum ink ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a line below the row of the last cell, which is not bright, broken where it is too long. */
void table_note(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line below the row of the last cell and above its note, "! ...", as a warning. */
void table_warn(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints within $COLUMNS, else the terminal: where a row has no room, its last cell is broken into
 * lines; then its first cell has a line of its own; at last each cell that is not empty has one. A
 * column between the first and the last is left out where no row has text in it. */
enum asc_status table_print(const struct table *t, FILE *to, struct asc_err *e);

#endif
