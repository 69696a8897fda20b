/* One result as a row of a reader's table: its question, the configuration by the library's names,
 * and what the row holds beside what the library takes without the file. Texts are those of the
 * dispatch table. Inner part of a reader's set. */
#ifndef ASCTUNE_TABLES_READER_RESULT_H
#define ASCTUNE_TABLES_READER_RESULT_H

#include "reports/tables/dispatch.h"
#include "reports/tables/reader_set.h"

/* Reads Triton's version from the words of a compiler, "..., Triton 3.6.0, ptxas 13.0". NULL: it is
 * not recorded, or the compiler is another one, *other. */
enum asc_status reader_result_triton(struct dispatch *t, const struct best_row *r, const char **out,
				     bool *other, struct asc_err *e);

/* The question of a row's result; borrowed from the row. */
struct reader_problem reader_result_problem(const struct dispatch_row *row);

/* Makes the line of row number `row`, and names its file. ASC_INPUT with the reason why it cannot
 * be one. */
enum asc_status reader_result_make(struct dispatch *t, const struct reader_ops *ops,
				   const char *triton, size_t row, struct reader_line *line,
				   const char **file, struct asc_err *e);

/* Finds what the library takes without the file: the row of an imported one, else its default.
 * False: that cannot be told. */
bool reader_find_rival(const struct reader_file *f, const struct reader_problem *p, const char *key,
		       struct reader_config *out);

/* Decides what the row of a result holds, and why. ASC_INPUT for a result that is slower than a
 * default which cannot be told: the row could hold neither. */
enum asc_status reader_result_judge(struct dispatch *t, const struct reader_file *f,
				    const struct reader_problem *p, struct reader_line *line,
				    struct asc_err *e);

/* Prints a text that lives as long as the table; NULL: out of memory. */
const char *reader_keep_text(struct dispatch *t, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
