/* Verdict tables: what the memory planner of an NPU's compiler said about variants of one kernel,
 * as a file, so that a machine without the compiler can prune by it (docs/ascend.md has the
 * format).
 *
 * A row is a variant of the kernel and the answer to it. A variant is a cell for each column of the
 * key: `target` first, then the types of elements, `arguments`, and whatever the kernel is compiled
 * with. No two rows have one key. A table owns its texts; what is taken from it is borrowed. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_VERDICT_TABLE_H
#define ASCTUNE_WORKLOAD_LIMITS_VERDICT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;

enum { VERDICT_TABLE_MAX_BYTES = 64 << 20, VERDICT_TABLE_MAX_COLUMNS = 256 };

#define VERDICT_TABLE_TARGET    "target"    /* column of the SoC's name, the first one */
#define VERDICT_TABLE_ARGUMENTS "arguments" /* column of the types of arguments: "*f16 i32" */

struct verdict_heading {
	const char *source, *entry; /* the kernel: its file, as a workload names it, and function */
	const char *digest;         /* of the text with its imports: sources_key_all() */
};

struct verdict_target { /* an SoC, and the versions of the compilers that were asked for it */
	const char *name, *planner;
};

/* id, text */
#define ROW_VERDICT_LIST(X)                                                                        \
	X(FITS, "fits")               /* the planner takes it */                                   \
	X(REFUSED, "refused")         /* it exceeds a memory space */                              \
	X(UNSUPPORTED, "unsupported") /* the compiler does not take such types */

enum row_verdict {
#define X(id, text) ROW_##id,
	ROW_VERDICT_LIST(X)
#undef X
		ROW_VERDICT_COUNT
};

struct verdict_row {
	enum row_verdict verdict;
	const char *space; /* REFUSED: the memory space that is exceeded (ub, l1, l0a, l0b, l0c,
			      bt); else "" */
	int64_t ub_bytes, l1_bytes, l0c_bytes; /* planned; -1: not told */
	int retries;                           /* times that the compiler fell back; -1: not told */
};

const char *row_verdict_name(enum row_verdict v);

/* Gets the name of memory space number `i` of those that a refusal can name; NULL behind the last.
 */
const char *verdict_table_space(size_t i);

/* Appends a row in words: "refused, ub is too small" and a line's end. */
void verdict_row_print(const struct verdict_row *r, struct buf *out);

struct verdict_table;

/* Makes a table without rows. `columns` are the names of the key; ASC_INPUT where two columns would
 * have one name. */
enum asc_status verdict_table_new(const struct verdict_heading *h, const char *const *columns,
				  size_t n_columns, struct verdict_table **out, struct asc_err *e);

/* Reads a file. ASC_INPUT, with file and line, for one that is torn, of another format, with a cell
 * that means nothing or with two answers for one key; ASC_NEWER for a format of later versions. */
enum asc_status verdict_table_open(const char *path, struct verdict_table **out, struct asc_err *e);
void verdict_table_free(struct verdict_table *t);

const struct verdict_heading *verdict_table_heading(const struct verdict_table *t);

/* Finds the versions of the compilers that were asked for a target, "triton-ascend 3.2.0,
 * bishengir-compile 1.2.0"; NULL: none was. Each target has its own: its planner is a program of
 * its own. */
const char *verdict_table_planner(const struct verdict_table *t, const char *target);

/* Adds a target, which the table has not; rows are of these alone. */
enum asc_status verdict_table_add_target(struct verdict_table *t,
					 const struct verdict_target *target, struct asc_err *e);

/* Gets target number `i`; NULL behind the last. */
const char *verdict_table_target(const struct verdict_table *t, size_t i);
const char *const *verdict_table_columns(const struct verdict_table *t, size_t *n);
size_t verdict_table_rows(const struct verdict_table *t);

/* Gets row `i`; *key is a cell for each column. */
const struct verdict_row *verdict_table_get(const struct verdict_table *t, size_t i,
					    const char *const **key);

/* Finds the row with these cells; NULL: there is none. */
const struct verdict_row *verdict_table_find(const struct verdict_table *t, const char *const *key);

/* Adds a row, or gives that of an equal key the new answer; but an answer that it fits stays: of
 * variants that the key does not tell apart, one that is built in vain costs less than one that is
 * never tried. Cells and names are copied. */
enum asc_status verdict_table_add(struct verdict_table *t, const char *const *key,
				  const struct verdict_row *row, struct asc_err *e);

/* Writes the file whole or not at all, rows in the order of their keys: equal tables are equal
 * files. */
enum asc_status verdict_table_write(const struct verdict_table *t, const char *path,
				    struct asc_err *e);

#endif
