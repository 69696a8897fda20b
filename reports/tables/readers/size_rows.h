/* Files of rows by size, {"1": {...}, "64": {...}}, which vLLM and SGLang read alike: how they are
 * read and written, the rule that the nearest row serves, and what Triton takes of a row. */
#ifndef ASCTUNE_TABLES_READERS_SIZE_ROWS_H
#define ASCTUNE_TABLES_READERS_SIZE_ROWS_H

#include "reports/tables/readers/reader.h"

/* Parameters of a row, ended by NULL, and sizes of the rows of shipped files, ended by 0. */
extern const char *const size_rows_parameters[];
extern const int64_t size_rows_ladder[];

#define SIZE_ROWS_VERSION "triton_version" /* key beside the rows */

/* A library's word for element types in names of files. */
struct size_rows_type {
	const char *type; /* as the workload has it, or the library's own word */
	const char *word; /* NULL: no part of the name */
	int64_t bytes;    /* of an element */
};

/* Finds the word for the problem's type "dtype" in a list that ends with a NULL type. */
enum asc_status size_rows_find_type(const struct reader_problem *p,
				    const struct size_rows_type *list,
				    const struct size_rows_type **out, struct asc_err *e);

/* Sizes of a quantised block; 0 and 0: none. The libraries know a block by both sizes alone. */
struct size_rows_block {
	int64_t n, k;
};
struct size_rows_block size_rows_get_block(const struct reader_problem *p);

/* Fails for a device whose name cannot be a part of a file's name, and for a name of more bytes
 * than file systems take with that of the evidence beside it. */
enum asc_status size_rows_check_name(const struct reader_problem *p, const struct buf *name,
				     struct asc_err *e);

/* Members of struct reader_ops, as vLLM and SGLang share them. */
enum asc_status size_rows_print_key(const struct reader_ops *self, const struct reader_problem *p,
				    struct buf *out, struct asc_err *e);
size_t size_rows_find(const struct reader_table *t, const char *key);
enum asc_status size_rows_write(const struct reader_table *t, struct buf *out, struct asc_err *e);
enum asc_status size_rows_read(const char *path, const struct buf *text, struct reader_table *out,
			       struct asc_err *e);

/* Writes and reads files of a library that passes every key to int(): these cannot say their
 * version of Triton. */
enum asc_status size_rows_write_plain(const struct reader_table *t, struct buf *out,
				      struct asc_err *e);
enum asc_status size_rows_read_plain(const char *path, const struct buf *text,
				     struct reader_table *out, struct asc_err *e);

/* Checks a row of a kernel whose elements have `bytes` (0: not known). */
enum asc_status size_rows_check(const struct reader_problem *p, const struct reader_config *c,
				int64_t bytes, struct asc_err *e);

/* Checks a row of a product of fp8: elements of one byte. */
enum asc_status size_rows_check_fp8(const struct reader_problem *p, const struct reader_config *c,
				    struct asc_err *e);

/* Sizes that a problem has to have, ended by NULL: of a MoE layer, of a product of fp8. */
extern const char *const size_rows_moe_sizes[], *const size_rows_fp8_sizes[];

/* Makes the configuration of a row. */
struct reader_config size_rows_config(int64_t block_m, int64_t block_n, int64_t block_k,
				      int64_t group_m, int64_t warps, int64_t stages);

#endif
