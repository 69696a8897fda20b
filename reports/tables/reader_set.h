/* Tables of readers on their way from results to files: which result is which row, rows that hold
 * the library's default instead, and why.
 *
 * The caller owns the storage: `struct reader_set s = {0}`, reader_set_make(), reader_set_fini().
 * Texts are those of the dispatch table, which has to live as long. */
#ifndef ASCTUNE_TABLES_READER_SET_H
#define ASCTUNE_TABLES_READER_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/err.h"

struct buf;
struct export_request;

struct reader_line {     /* a row of a file */
	const char *key; /* NULL: of the row for all that no other one serves */
	struct reader_config config;
	size_t result; /* row of the dispatch table; SIZE_MAX: none was measured */
	bool pinned;   /* the row holds the library's default, not the result */
	bool compared; /* the result was measured in the same rounds with that default */
	const char *why;
};

struct reader_file {
	const struct reader_ops *ops;
	const char *name, *triton;     /* triton: NULL: not known */
	struct reader_problem problem; /* of its first result */
	struct reader_table imported;  /* rows of a file of that name; none: none was imported */
	struct reader_line *lines;     /* in the order of the file */
	size_t n, room;
	bool idle; /* no row holds a result: the file would change nothing, and is not written */
};

struct reader_set {
	struct reader_file *files;
	size_t n, room;
};

/* Makes the files of a library's tables of the request's dispatch table: all rows that make rules
 * there, by the reader's names. A result that cannot be a row is left out, with the reason in the
 * dispatch table.
 *
 * Without the file a library takes the row of its own file, if one of that name was imported, else
 * its default. Rows that hold this are added where a result is not shown faster, for sizes of the
 * reader's ladder that were not measured, and on both sides of a size where it changes between
 * these. ASC_INPUT where two results are the same row. */
enum asc_status reader_set_make(struct reader_set *s, const struct export_request *r,
				const char *library, struct asc_err *e);

/* Appends the text of a file. */
enum asc_status reader_file_write(const struct reader_file *f, struct buf *out, struct asc_err *e);

void reader_set_fini(struct reader_set *s);

#endif
