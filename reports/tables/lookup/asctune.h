/* libasctune: which implementation and configuration of an operator to use.
 *
 * A table is a file: a database of asctune, its best.json, or a file of rules. A program opens it
 * once and asks it before it calls an operator. Any number of threads may ask one table at the same
 * time; asking allocates nothing. Once a second at most, an asking thread looks whether the file
 * was replaced, and reads it again then; a file that cannot be read leaves the table as it was.
 *
 *     struct asctune_table *t;
 *     char error[256];
 *     if (asctune_open("best.json", 0, &t, error, sizeof error))
 *             ...
 *     const struct asctune_size sizes[] = {{"M", m}, {"N", n}, {"K", k}};
 *     const struct asctune_type types[] = {{NULL, "float16"}};
 *     const int64_t active[] = {0, 1, 2};
 *     const struct asctune_question q = {"gemm", "nvidia", "NVIDIA H200", types, 1, sizes, 3,
 *                                        active, 3};
 *     struct asctune_answer a;
 *     if (asctune_ask(t, &q, &a) != ASCTUNE_NOT_SET)
 *             config.set_implementation_index(a.index);
 */
#ifndef ASCTUNE_TABLES_LOOKUP_ASCTUNE_H
#define ASCTUNE_TABLES_LOOKUP_ASCTUNE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct asctune_table;

enum asctune_status {
	ASCTUNE_OK,
	ASCTUNE_BAD_FILE, /* not there, not readable, or no table; an entry of it is bad */
	ASCTUNE_NO_MEMORY
};

enum asctune_open_flags {
	ASCTUNE_KEEP = 1,     /* never reads the file again by itself: asctune_reload() does */
	ASCTUNE_SIMULATED = 2 /* a database: the results on stand-ins of devices, whose times a
				 model gives, instead of measured ones */
};

/* Ways in which an answer was found; the first of them that can serve does. */
enum asctune_found {
	ASCTUNE_NOT_SET, /* nothing serves: leave the choice to the library */
	ASCTUNE_EXACT,   /* for these sizes */
	ASCTUNE_RULE,    /* for a range that holds them */
	ASCTUNE_NEAREST  /* measured at the sizes nearest to these, by their ratios */
};

struct asctune_size {
	const char *name; /* as in the workload or the rule: "M" */
	int64_t value;    /* a truth value: 0 or 1; negative: nothing serves */
};

struct asctune_type {
	const char *name; /* "T"; NULL where the operator has one */
	const char *type; /* "f16", "float16", "half", ... */
};

struct asctune_question { /* texts and lists are borrowed during the call */
	const char *op;
	const char *device; /* "cuda" or "nvidia", "npu" or "ascend", "cpu" */
	const char
		*device_model; /* "NVIDIA H200"; NULL: not known, only rules for any model serve */
	const struct asctune_type *types;
	size_t n_types;
	const struct asctune_size *sizes; /* in any order, more than rules name may be given */
	size_t n_sizes;
	const int64_t *active; /* the indices that the library has built in; no other is answered.
				  -1 stands for implementations without an index */
	size_t n_active;
};

enum { ASCTUNE_NAME_BYTES = 64, ASCTUNE_CONFIG_BYTES = 1024 };

struct asctune_answer {
	enum asctune_found found;
	int64_t index;         /* implementation_index; -1: none, or not set */
	int64_t default_index; /* the library's own choice; -1: not known */
	double time_ns;        /* measured; 0: not known */
	double default_ns;     /* of default_index, in the same rounds; 0: not known */
	int stale;             /* 1: the file was replaced by one that cannot be read */
	char implementation[ASCTUNE_NAME_BYTES]; /* its name, cut; "": not known */
	char config[ASCTUNE_CONFIG_BYTES];       /* a JSON object; "": none */
};

/* Opens the table in the file `path`. On failure *out is NULL and `error`, of `size` bytes (0:
 * none), says why in a sentence; otherwise it is that of asctune_error(). */
enum asctune_status asctune_open(const char *path, unsigned flags, struct asctune_table **out,
				 char *error, size_t size);
void asctune_close(
	struct asctune_table *table); /* no thread may ask it any more; NULL is ignored */

/* Answers a question; returns answer->found. The order of precedence: exact sizes before ranges,
 * more named sizes before fewer, narrow ranges before wide, a named device before any; where files
 * of results have nothing for the sizes, the nearest that was measured. */
enum asctune_found asctune_ask(struct asctune_table *table, const struct asctune_question *question,
			       struct asctune_answer *answer);

/* Says why a question has no answer: "it was measured on NVIDIA A100, not on NVIDIA H200"; "": it
 * has one. Unlike asctune_ask() it allocates. */
void asctune_explain(struct asctune_table *table, const struct asctune_question *question,
		     char *text, size_t size);

/* Reads the file again now. On failure the table stays as it was, and `error` says why. */
enum asctune_status asctune_reload(struct asctune_table *table, char *error, size_t size);

/* Why the file that replaced the table's cannot be read, or why the last of its rows that are left
 * out is; "": neither. */
void asctune_error(struct asctune_table *table, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
