/* Readers: libraries that read tables of tuned configurations. Each kind of table is one table of
 * operations: names of its files, its rows, the rule by which the library finds one, what a row has
 * to keep, and what the library takes without a file.
 *
 * All of it is plain data and pure functions. Texts of problems are borrowed; a struct reader_table
 * owns its rows. The facts are those of the versions that each reader names in its summary's file.
 * Where a name is a digest of the library's own code, the library itself is asked for it before
 * (reader_ask_fn). */
#ifndef ASCTUNE_TABLES_READERS_READER_H
#define ASCTUNE_TABLES_READERS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/lookup/rule.h"
#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct buf;
struct json_doc;
struct json_node;
struct json_writer;

enum { READER_MAX_PARAMETERS = 32 };

/* No row: the library takes its own default. */
#define READER_OWN SIZE_MAX

#define READER_NEVER_NS 1e300

struct reader_parameter {
	const char *name; /* as the library calls it */
	struct value value;
};

struct reader_config {
	struct reader_parameter list[READER_MAX_PARAMETERS];
	size_t n;
};

/* A question of a library. */
struct reader_problem {
	const char *kernel;            /* the library's name of the operator */
	const char *device;            /* model, as its driver names it */
	const struct rule_size *sizes; /* by the library's names, one value each, in its order */
	const bool *truths;            /* of each: a truth value; NULL: none is */
	size_t n_sizes;
	const struct asctune_type *types; /* likewise */
	size_t n_types;
	int64_t shared_bytes;         /* shared memory of a block at most; 0: not known */
	const char *arch;             /* "sm_90"; NULL: not known */
	const char *source;           /* file of the kernel that was measured; NULL: not known */
	const struct json_node *told; /* what the library tells of it; NULL: it was not asked */
};

struct reader_row {
	char *key;    /* as it stands in the file; NULL: the row for all that no other one serves */
	int64_t size; /* number that the key is; -1: none */
	struct reader_config config;
	double ns; /* its time; 0: not known; READER_NEVER_NS or more: no launch succeeded */
};

/* A file's rows, in its order. The caller owns the storage: `struct reader_table t = {0}`,
 * the read() of a struct reader_ops or reader_table_add(), then reader_table_fini(). */
struct reader_table {
	struct reader_row *rows;
	size_t n, room;
	char *version; /* of Triton, as the file says; NULL: it does not */
	char *kernel;  /* that it is of; NULL: its name does not say */
	char *other;   /* a member that is not known and not kept; NULL: there is none */
	char **names;  /* names of parameters that a file had */
	size_t n_names, names_room;
};

struct reader_ops {
	const char *name;    /* LIBRARY:OPERATOR, or LIBRARY where it has one kind of table */
	const char *library; /* name of the exporter, key of a workload's "export" */
	const char *op;      /* "operator" of that object; NULL: any, the name of a kernel */
	const char *summary;
	const char *const *sizes;      /* sizes that it asks by, ended by NULL; NULL: any */
	const char *row_size;          /* the size by which rows are found; NULL: a key is */
	const char *const *parameters; /* that a row has, ended by NULL; NULL: all of the kernel */
	const int64_t *ladder;         /* sizes of rows of its shipped files, ended by 0; or NULL */
	bool by_place;                 /* a row knows parameters by their places */
	bool fallback;                 /* a file has a row for all that no other one serves */
	bool drawn; /* inputs decide how much work a launch is, and are drawn for each size */
	const char *version; /* of the library, whose files these are; NULL: any */
	bool one_device;     /* no name in its files tells GPUs apart: they are for one model */
	bool asks;           /* the library tells names of files and keys, in the user's Python */
	bool one_key;        /* a file is of one key, which a part of its name stands for */
	const char *place;   /* where the library looks for its files */
	const char *shipped; /* folder of the package, in which it looks for them by their names;
				NULL: it has none */
	/* Appends the file's name; `triton`: version that configurations were compiled by. */
	enum asc_status (*name_file)(const struct reader_problem *p, const char *triton,
				     struct buf *out, struct asc_err *e);
	/* Appends the key of the problem's row. */
	enum asc_status (*print_key)(const struct reader_ops *self, const struct reader_problem *p,
				     struct buf *out, struct asc_err *e);
	/* Append the name without folders and the key by which a library that is not asked knows an
	 * imported file, as far as the problem tells. NULL: name_file() and print_key() do. */
	enum asc_status (*guess)(const struct reader_problem *p, struct buf *file, struct buf *key,
				 struct asc_err *e);
	/* Finds the row that serves a key, by the library's rule; READER_OWN: none. */
	size_t (*find)(const struct reader_table *t, const char *key);
	/* Adds what a row has and a configuration may lack; NULL: nothing. */
	void (*complete)(struct reader_config *c);
	/* ASC_INPUT, with the parameter, its value and the limit, for a configuration that the
	 * library refuses, or changes before it launches. */
	enum asc_status (*check)(const struct reader_problem *p, const struct reader_config *c,
				 struct asc_err *e);
	/* Gives what the library takes without a file; false: that cannot be told. NULL: it tunes.
	 */
	bool (*find_default)(const struct reader_problem *p, struct reader_config *out);
	/* Append the file, and read one; errors name `path`. */
	enum asc_status (*write)(const struct reader_table *t, struct buf *out, struct asc_err *e);
	/* Appends the file that has the rows of a text of write(), which read() takes, too; what
	 * else the file `there` has stays, NULL: there is none. Without pack() the text is the
	 * file. */
	enum asc_status (*pack)(const struct buf *text, const struct buf *there, struct buf *out,
				struct asc_err *e);
	enum asc_status (*read)(const char *path, const struct buf *text, struct reader_table *out,
				struct asc_err *e);
};

/* Entries of the list, each defined in its library's file. */
extern const struct reader_ops vllm_moe_reader, vllm_block_fp8_reader, sglang_moe_reader,
	sglang_block_fp8_reader, fla_reader, ninetoothed_reader, triton_reader, flaggems_reader;

extern const struct reader_ops *const reader_list[];

/* Find a reader by its name, or by its library and the operator of an "export"; NULL: none. */
const struct reader_ops *reader_find(const char *name);
const struct reader_ops *reader_find_operator(const char *library, const char *op);

struct reader_asking { /* borrowed */
	const char *library;
	const char *triton;  /* version that the tables are for; NULL: any */
	const char *version; /* likewise of the library; NULL: any */
	const char *main; /* file of the program whose kernels are of __main__; NULL: not known */
	struct reader_problem *list;
	size_t n;
};

struct reader_answers { /* what the problems' `told` point into */
	struct reader_answer {
		struct json_doc *doc;
	} * list;
	size_t n, room;
};

/* Asks a library about questions of operators "MODULE:KERNEL", and sets `told` of each.
 * ASC_ABSENT without a Python, Triton or library; ASC_INPUT for other versions of these. A question
 * that the library cannot answer has the reason as its answer. */
typedef enum asc_status reader_ask_fn(const struct reader_asking *a, struct reader_answers *out,
				      struct asc_err *e);
void reader_answers_fini(struct reader_answers *a);

/* Get a text of an answer, and append its key in JSON. ASC_INPUT with the reason where there is no
 * answer. */
enum asc_status reader_told_text(const struct reader_problem *p, const char *member,
				 const char **out, struct asc_err *e);
enum asc_status reader_told_key(const struct reader_problem *p, struct buf *out, struct asc_err *e);

/* Appends the file's name that the library tells. ASC_INPUT for one that is absolute, has a part
 * that begins with '.', or is too long. */
enum asc_status reader_name_told_file(const struct reader_problem *p, const char *triton,
				      struct buf *out, struct asc_err *e);

/* Options of Triton's launches, which stand beside a kernel's own parameters; ended by a NULL name.
 * From Triton 3.5.1 on FLA fails without num_ctas. */
struct reader_option {
	const char *name;
	int64_t otherwise; /* Triton's default; 0: left out */
};
extern const struct reader_option reader_options[];
const struct reader_option *reader_find_option(const char *name); /* NULL: it is none */

/* Value of a size, `otherwise` where the problem has none. */
int64_t reader_get_size(const struct reader_problem *p, const char *name, int64_t otherwise);

/* A type or text by its name; NULL: none. */
const char *reader_get_type(const struct reader_problem *p, const char *name);

/* Value of an integer parameter, `otherwise` where there is none. */
int64_t reader_get_parameter(const struct reader_config *c, const char *name, int64_t otherwise);

/* Adds a parameter; false: too many. */
bool reader_add_parameter(struct reader_config *c, const char *name, struct value v);

/* True for configurations of the same parameters with equal values, in any order. */
bool reader_same_config(const struct reader_config *a, const struct reader_config *b);

/* Writes the options of a launch as another configuration of the same kernel does: what that one
 * leaves to Triton is left out, and the other way round. */
void reader_align_options(struct reader_config *c, const struct reader_config *like);

/* Appends "BLOCK_SIZE_M=16, num_warps=4". */
void reader_print_config(const struct reader_config *c, struct buf *out);

/* Fails for a device without a name, and with the first size that the reader asks by and the
 * problem lacks or has as 0. */
enum asc_status reader_check_problem(const struct reader_ops *r, const struct reader_problem *p,
				     struct asc_err *e);

/* Appends a key as Triton's autotuner makes it: the sizes, then torch's names of the types. Names
 * that begin with '@' are of no key. */
enum asc_status reader_print_ordered_key(const struct reader_problem *p, struct buf *out,
					 struct asc_err *e);

/* Checks what Triton asks of the launch of a configuration: warps, stages and clusters. */
enum asc_status reader_check_launch(const struct reader_config *c, struct asc_err *e);

/* Appends "GPU/KERNEL" and the ending, for files that do not say their GPU: a folder for each,
 * named as flash-linear-attention names its own. */
enum asc_status reader_name_in_folder(const struct reader_problem *p, const char *ending,
				      struct buf *out, struct asc_err *e);

/* Adds a row behind the others; the key is copied, names of parameters have to live. */
enum asc_status reader_table_add(struct reader_table *t, const char *key,
				 const struct reader_config *c, struct asc_err *e);

/* Write and read a configuration as Triton's own and FLA's tables have it: {"kwargs": {...},
 * "num_warps": 4, ...}. Other members have to be null, which is as if they were not there: they are
 * what Triton takes and asctune does not set. Names that are read are the table's. */
enum asc_status reader_read_value(const struct json_node *n, struct reader_table *t,
				  struct reader_config *c, struct asc_err *e);
void reader_write_launch(struct json_writer *w, const char *key, const struct reader_config *c);
enum asc_status reader_read_launch(const struct json_node *n, struct reader_table *t,
				   struct reader_config *c, struct asc_err *e);

/* Finds a row by its key; NULL: none. */
const struct reader_row *reader_table_find(const struct reader_table *t, const char *key);

/* True where the table has a row with this one's key and configuration. */
bool reader_table_has(const struct reader_table *t, const struct reader_row *row);

/* Copies a name, for as long as the table lives; NULL: out of memory. */
const char *reader_table_keep(struct reader_table *t, const char *name);
void reader_table_fini(struct reader_table *t);

#endif
