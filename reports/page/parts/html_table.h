/* Tables of the page: a caption, headers with units, numbers to the right, 50 rows shown and 500 in
 * the file, and a line that says how many more there are.
 *
 * Rows are written one after another, cells from left to right; the first cell is the header of its
 * row. Sorting and filtering is the script's. The caller owns the storage; nothing to free. */
#ifndef ASCTUNE_PARTS_HTML_TABLE_H
#define ASCTUNE_PARTS_HTML_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

enum { HTML_TABLE_SHOWN = 50, HTML_TABLE_ROWS = 500 };

struct html_column {
	const char *title;
	const char *unit; /* unit of its numbers; NULL: none, or each has its own */
	bool number;      /* aligned to the right, and sorted by value */
};

struct html_table {
	struct buf *out;
	const char *id, *caption; /* the caption is text */
	const char *order;        /* text behind the caption, until the reader sorts; NULL: none */
	const struct html_column *columns; /* ended by a NULL title */
	const char *rest;   /* command that has the rows beyond 500, too; may be NULL */
	bool data;          /* table of a picture: neither sorted nor filtered */
	size_t rows, cells; /* zero at the beginning */
};

void html_table_begin(struct html_table *t);

/* Begins a row. False: it is beyond the 500th, and its cells must not be written. */
bool html_table_row(struct html_table *t);

/* Begin and end a cell, which the caller writes in between. */
void html_cell_begin(struct html_table *t);
void html_cell_begin_number(struct html_table *t, double sorts_by); /* NaN: unknown, sorts last */
void html_cell_end(struct html_table *t);

/* Write whole cells. */
void html_cell_text(struct html_table *t, const char *text);
void html_cell_name(struct html_table *t, const char *name, size_t most); /* as html_name() */
void html_cell_number(struct html_table *t, double value,
		      int decimals);                  /* "–" for what is not finite */
void html_cell_time(struct html_table *t, double ns); /* with its unit */
void html_cell_count(struct html_table *t, long long count);

void html_table_end(struct html_table *t);

#endif
