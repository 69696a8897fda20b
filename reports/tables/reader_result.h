/* One result as a row of a reader's table: its question, the configuration by the library's names,
 * and what the row holds beside what the library takes without the file. Texts are those of the
 * dispatch table. Inner part of a reader's set. */
#ifndef ASCTUNE_TABLES_READER_RESULT_H
#define ASCTUNE_TABLES_READER_RESULT_H

#include "reports/tables/dispatch.h"
#include "reports/tables/reader_set.h"

struct reader_verdict;
struct provenance;

/* Reads Triton's version from the words of a compiler, "..., Triton 3.6.0, ptxas 13.0". NULL: it is
 * not recorded, or the compiler is another one, *other. */
enum asc_status reader_result_triton(struct dispatch *t, const struct best_row *r, const char **out,
				     bool *other, struct asc_err *e);

/* Find the file of the kernel that was measured, by the workload's: its path, on the heap or the
 * table's; NULL: it is not known, or the kernel was a module's. */
enum asc_status reader_result_find_source(const struct provenance *p, char **out,
					  struct asc_err *e);
enum asc_status reader_result_source(struct dispatch *t, const struct best_row *r, const char **out,
				     struct asc_err *e);

/* Shared memory of a block at most, of an architecture such as "sm_90"; 0: not known, NULL too. */
int64_t reader_result_shared_bytes(const char *arch);

/* True for a row of which a table may hold something: it makes a rule, or the default is faster. */
bool reader_result_counts(const struct dispatch_row *row);

/* True for results of one text of one kernel. The row of its implementation does not tell: a
 * problem has one of its own where its tolerance or its own configuration is another one's. */
bool reader_result_same_kernel(const struct best_row *a, const struct best_row *b);

/* The question of a row's result; borrowed from the row. */
struct reader_problem reader_result_problem(const struct dispatch_row *row);

/* Names the file and the row that a result would be; ASC_INPUT with the reason why it cannot. */
enum asc_status reader_result_place(struct dispatch *t, const struct reader_ops *ops,
				    const char *triton, size_t row, const char **file,
				    const char **key, struct asc_err *e);

/* Prints what the problem of a result is beside the size by which rows are found: other
 * dimensions, and types. One file may hold results of several layers, which its name does not tell
 * apart; measurements of one say nothing of another. *out is a text of the table. */
enum asc_status reader_result_print_layer(struct dispatch *t, const struct dispatch_row *row,
					  const struct reader_ops *ops, const char **out,
					  struct asc_err *e);

/* Makes the line of row number `row`, and names its file. ASC_INPUT with the reason why it cannot
 * be one. */
enum asc_status reader_result_make(struct dispatch *t, const struct reader_ops *ops,
				   const char *triton, size_t row, struct reader_line *line,
				   const char **file, struct asc_err *e);

/* Finds what the library takes without the file: the row of an imported one, else its default.
 * False: that cannot be told. */
bool reader_find_rival(const struct reader_file *f, const struct reader_problem *p, const char *key,
		       struct reader_config *out);

/* "the imported row" or "the library's default". */
const char *reader_rival_name(const struct reader_file *f);

/* Decides what the row of a result holds, and why, by the verdict on it and on `own`, which the
 * library takes without the file (NULL: that cannot be told): where the result is not shown faster,
 * `own`; where nothing was measured, the result only if it may be `unproved`. ASC_INPUT for a row
 * that could hold neither. */
enum asc_status reader_result_judge(struct dispatch *t, const struct reader_file *f,
				    const struct reader_verdict *v, const struct reader_config *own,
				    bool unproved, struct reader_line *line, struct asc_err *e);

/* Adds what has to be measured, unless it is asked for already. */
enum asc_status reader_need_add(struct reader_set *s, struct dispatch *t,
				const struct reader_need *need, const struct reader_config *answer,
				const struct reader_config *rival, struct asc_err *e);

/* Size that the key of a line is. */
int64_t reader_line_size(const struct reader_line *line);

/* Adds a line to a file, before number `at`. */
enum asc_status reader_file_add(struct reader_file *f, size_t at, const struct reader_line *line,
				struct asc_err *e);

/* Prints a text that lives as long as the table; NULL: out of memory. */
const char *reader_keep_text(struct dispatch *t, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
