/* A Triton kernel with the decorator of its autotuner, read from its file by a Python process, and
 * written out as a text of its own where it is of a package.
 *
 * The file's text is read first, and nothing of it runs; where a list of configurations is not
 * plain enough for that, or names what no text has, the module is imported in the sandbox, with a
 * time limit. All strings live as long as the struct autotune. */
#ifndef ASCTUNE_EXCHANGE_AUTOTUNE_H
#define ASCTUNE_EXCHANGE_AUTOTUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"
#include "tuner/workload/rewrite.h"

struct json_doc;
struct json_node;
struct json_writer;

struct autotune_text {
	const char *name, *text;
};

struct autotune_parameter { /* of the kernel, in order */
	const char *name;
	const char *type; /* dtype that it is annotated with, or NULL */
	const char *role; /* "in", "out", "inout": an address; NULL: a number, as far as is seen */
	bool is_constexpr;
	bool is_descriptor; /* made by the host, of the tensor that has the role */
	bool has_value, is_text;
	struct value value;  /* its default, where has_value and not is_text */
	const char *text;    /* its default, where is_text */
	const char *formula; /* of what a launcher in the file passes, or NULL */
	const char **shape;  /* sizes of the tensor that a launcher passes, names of parameters */
	size_t n_shape;      /* 0: not known */
};

struct autotune_kernel {
	const char *name;
	const char *library; /* whose autotuner it is, which has tables of its own; NULL: none */
	bool has_tuner;      /* false: no configurations, no keys */
	struct autotune_entry *entries; /* configurations, in the list's order */
	size_t n_entries;
	const char **keys;
	size_t n_keys;
	const char **grid;                /* formulas, of a launcher in the file */
	size_t n_grid;                    /* 0: not known */
	struct autotune_text *heuristics; /* name and text of each */
	size_t n_heuristics;
	struct autotune_text *others; /* further arguments of the autotuner */
	size_t n_others;
	struct autotune_parameter *parameters;
	size_t n_parameters;
};

struct autotune {
	const char *file, *module;     /* module: "" for a file that is found by its path alone */
	const char *package, *version; /* where noted, else NULL */
	const char *text;   /* the kernels with all that they name, NULL: a file, or see `reason` */
	const char *digest; /* of the text */
	char *reason;       /* why there is no text; NULL: there is one, or a file */
	const struct json_node *tables; /* of autotune_look(): {"NAME.json": TEXT, ...} */
	struct autotune_kernel kernel;
	struct autotune_kernel twin;      /* the kernel NAME_npu beside it; name NULL: none */
	struct json_doc *read, *imported; /* what the processes have said */
};

/* `source` is FILE.py:kernel or package.module:kernel, of what is installed or, unless it is NULL,
 * of `package`, a wheel, a source archive or a folder, of which nothing is imported. An import may
 * take `limit_s` seconds. ASC_INPUT says what is wrong with the file, ASC_ABSENT that there is no
 * Python. */
enum asc_status autotune_open(const char *source, const char *package, uint64_t limit_s,
			      struct autotune **out, struct asc_err *e);

/* Finds file, package, version and text of a kernel alone, and the texts of the tables in a folder
 * of its package, "": of none. Nothing is imported. ASC_NOTFOUND where the package is not there. */
enum asc_status autotune_look(const char *source, const char *package, const char *tables,
			      struct autotune **out, struct asc_err *e);
void autotune_close(struct autotune *a);

/* Finds the program that reads kernels: $ASCTUNE_PYTHON, else python3. */
const char *autotune_find_python(void);

/* Appends a workload file with all that the kernel's file has; what the user has to fill in is
 * named under "X-todo". `source` is what the workload calls the kernel's file. Returns the number
 * of things to fill in by *todo. ASC_LIMIT where the list of configurations is too irregular. */
enum asc_status autotune_write_workload(const struct autotune *a, const char *source,
					struct buf *out, size_t *todo, struct asc_err *e);

/* Writes the place, the package and the digest of the kernel's text, which is not NULL. */
void autotune_write_origin(const struct autotune *a, const char *key, struct json_writer *w);

#endif
