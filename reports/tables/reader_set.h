/* Tables of readers on their way from results to files: which result is which row, rows that hold
 * the library's default instead, and why.
 *
 * The caller owns the storage: `struct reader_set s = {0}`, reader_set_make(), reader_set_fini().
 * Texts are those of the dispatch table, which has to live as long. */
#ifndef ASCTUNE_TABLES_READER_SET_H
#define ASCTUNE_TABLES_READER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/reader_verdict.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/err.h"

struct buf;
struct export_request;

struct reader_line {     /* a row of a file */
	const char *key; /* NULL: of the row for all that no other one serves */
	struct reader_config config;
	size_t result;     /* row of the dispatch table; SIZE_MAX: none was measured */
	const char *layer; /* of the result (reader_result_print_layer) */
	double ns;         /* time of the configuration; 0: not known */
	bool pinned;       /* the row holds the library's default, not the result */
	bool compared;     /* the result was measured in the same rounds with that default */
	bool unproved;     /* it was not, and the row holds it */
	bool added;        /* pinned where an answer between the rows is not shown faster */
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

struct reader_need {           /* two configurations to be measured in the same rounds */
	size_t file;           /* of the set */
	size_t row;            /* of the dispatch table: a result of the file, on whose problem */
	const char *dimension; /* that has another size, by the workload's name; NULL: none */
	int64_t size;
	const char *answer, *rival; /* by the kernel's names of parameters */
};

struct reader_set {
	struct reader_file *files;
	size_t n, room;
	struct reader_verdicts verdicts;
	struct reader_need *needs; /* what is not proved for want of measurements */
	size_t n_needs, needs_room;
	struct reader_answers told; /* by the library, where it has to be asked */
};

/* Makes the files of a library's tables of the request's dispatch table: all rows that make rules
 * there, by the reader's names. A result that cannot be a row is left out, with the reason in the
 * dispatch table.
 *
 * Without the file a library takes the row of its own file, if one of that name was imported, else
 * its default: the rival of each answer. A row holds its result where that was shown faster than
 * its rival in the same rounds. Rows that hold the rival are added for sizes of the reader's ladder
 * that were not measured, on both sides of a size where it changes between these, and wherever an
 * answer is not shown faster (reader_proof.h).
 *
 * What was not measured is not; with EXPORT_UNPROVED the result is taken, with EXPORT_ASKING the
 * table is that which would be if all of it held, and `needs` has what has to be measured.
 * ASC_INPUT where two results are the same row. */
enum asc_status reader_set_make(struct reader_set *s, const struct export_request *r,
				const char *library, struct asc_err *e);

/* Appends the text of a file. */
enum asc_status reader_file_write(const struct reader_file *f, struct buf *out, struct asc_err *e);

void reader_set_fini(struct reader_set *s);

#endif
