/* Answers of a table between its rows. A library that finds rows by size asks a table for every
 * size, and never its own default once the table is there: rows that hold this default stand
 * wherever no other answer is shown faster. Inner part of a reader's set. */
#ifndef ASCTUNE_TABLES_READER_PROOF_H
#define ASCTUNE_TABLES_READER_PROOF_H

#include "reports/tables/reader_set.h"

/* Adds the rows to file number `file` that hold what the library takes without it: for sizes of the
 * reader's ladder that have no result, where that changes between such rows, and where an answer
 * is not shown faster. Nothing for a reader that does not find rows by size. Each answer is
 * asked for at both ends of the sizes that it serves, at the size behind its row's, half-way
 * to both ends, and on both sides of each size between them at which the default changes. */
enum asc_status reader_proof_complete(struct reader_set *s, size_t file,
				      const struct export_request *r, struct asc_err *e);

#endif
