/* Records of a program's Triton launches, as `asctune capture` has them made, and their workloads.
 *
 * A folder has the records of each process of the program, a line each (docs/design/capture.md),
 * beside the kernels, the code and the tensors that the lines name. They are read into kernels with
 * their problems: those of all processes together, each once. Everything is owned by the struct
 * capture; texts and nodes are borrowed from its documents. */
#ifndef ASCTUNE_EXCHANGE_CAPTURE_H
#define ASCTUNE_EXCHANGE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"
#include "tuner/base/hash.h"
#include "tuner/base/value.h"
#include "tuner/workload/workload.h"

struct buf;
struct json_doc;
struct json_node;

/* Largest number of a record, and of a sum of these that is written: doubles hold integers up to
 * this one exactly. */
#define CAPTURE_MOST 0x1p53

enum { CAPTURE_SETS = 3 }; /* of a problem: places that the recorder writes again and again */

enum capture_kind {
	CAPTURED_TENSOR,
	CAPTURED_DESCRIPTOR,
	CAPTURED_INT,
	CAPTURED_REAL,
	CAPTURED_TRUTH,
	CAPTURED_NONE,
	CAPTURED_OTHER /* nothing that a workload can state */
};

struct capture_argument {
	const char *name;
	enum capture_kind kind;
	const char *type; /* TENSOR, DESCRIPTOR: of the elements, as recorded */
	int64_t shape[WORKLOAD_MAX_RANK], strides[WORKLOAD_MAX_RANK], box[WORKLOAD_MAX_RANK];
	size_t rank;
	bool padded;             /* DESCRIPTOR: by something else than zeros */
	int64_t storage, offset; /* which memory it lies in; bytes from where that begins */
	struct value value;      /* INT, REAL, TRUTH */
};

struct capture_set {
	const char *file;               /* relative to the folder; NULL: nothing was saved */
	const struct json_node *before; /* names of tensors in the file */
	const struct json_node *after;  /* of outputs in it */
	const struct json_node *ranges; /* of tensors that are not: NAME: [low, high, mean, std] */
};

struct capture_problem {
	const struct json_node *node; /* of the first process that had it */
	const char *key;              /* equal for equal problems of one kernel */
	const char *reason;           /* why it cannot be replayed, or NULL */
	const char *ttir, *ptx;       /* files of the code that ran, or NULL */
	struct capture_argument *arguments;
	size_t n_arguments;
	struct capture_set sets[CAPTURE_SETS]; /* the first n_sets are some */
	size_t n_sets;
	double calls, timed, time_ns; /* of all processes */
};

struct capture_parameter {
	const char *name;
	const char *annotation; /* or NULL */
	bool is_constexpr;
};

struct capture_kernel {
	const char *key; /* equal for equal kernels */
	const char *name, *module, *entry, *digest;
	const char *package, *version; /* or NULL */
	const char *source;            /* file of the kernel written out, or NULL */
	const char *reason;            /* why there is none */
	struct capture_parameter *parameters;
	size_t n_parameters;
	const struct json_node *tuner;    /* NULL: it has none */
	struct capture_problem *problems; /* most time first */
	size_t n_problems, capacity;
	double tuned_s; /* its autotuner's own */
};

/* The recorder's reason for kernels that --kernel leaves out. */
#define CAPTURE_UNASKED "not asked for"

struct capture_skipped {
	const char *key; /* equal for those of one name and one reason */
	const char *name, *reason;
	double calls;
};

struct capture {
	char *folder;
	struct arena arena;
	struct json_doc **docs;
	size_t n_docs, docs_capacity;
	const struct json_node *process; /* of the first that used a device, else of any */
	struct capture_kernel *kernels;  /* most time first */
	size_t n_kernels, kernels_capacity;
	struct capture_skipped *skipped;
	size_t n_skipped, skipped_capacity;
	size_t n_files; /* with records */
	size_t n_torn;  /* lines that were not whole */
};

/* Reads what a folder has. A line that is torn is passed over: its process was killed, or the disk
 * was full.
 * ASC_NOTFOUND: there are no records; ASC_INPUT: something in them is none of the recorder's. */
enum asc_status capture_open(const char *folder, struct capture **out, struct asc_err *e);
void capture_close(struct capture *c);

bool capture_is_tensor(const struct capture_argument *a);              /* or a descriptor of one */
bool capture_has_name(const struct json_node *list, const char *name); /* a list of texts */

/* Time of all calls: that of the timed ones, for all; 0: none was timed. */
double capture_problem_ns(const struct capture_problem *p);
double capture_kernel_ns(const struct capture_kernel *k);
double capture_kernel_calls(const struct capture_kernel *k);

/* ---- workloads ---- */

/* Problems of one kernel that one workload can state: with the same kinds and ranks of arguments.
 */
struct capture_form {
	const struct capture_kernel *kernel;
	const struct capture_problem **problems; /* on the heap; most time first */
	size_t n_problems, capacity;
	char name[65];               /* of the workload, unique in the folder */
	const char *operator_name;   /* MODULE:KERNEL */
	size_t n_kept;               /* problems in the workload */
	char reason[400];            /* why there is none; "": there is one, NAME.json */
	char digest[HASH_TEXT_SIZE]; /* of the file as it was written last; "": it was not */
	bool edited;                 /* since then: it stays as it is */
	char doubt[200];             /* why its verification says little; "": it does not */
};

/* A workload of a form that no record has any more, edited since it was written. */
struct capture_left {
	const char *file, *digest;
};

struct capture_forms {
	struct capture_form *list;
	size_t n, capacity;
	struct capture_left *left; /* known when all is written */
	size_t n_left, left_capacity;
	struct arena arena;
};

/* Sorts all problems of a capture into forms. */
enum asc_status capture_find_forms(const struct capture *c, struct capture_forms *out,
				   struct asc_err *e);
void capture_forms_fini(struct capture_forms *f);

/* Appends the text of a form's workload, with its first `most` problems or as many as the limits of
 * a workload allow; `form->reason` says why there is none, which is no failure. */
enum asc_status capture_write_workload(const struct capture *c, struct capture_form *form,
				       size_t most, struct buf *out, struct asc_err *e);

/* Writes the workloads of all forms and the summary, capture.json, into the capture's folder: the
 * same bytes for the same records. Workloads that an earlier summary has and no form are removed,
 * unless they were edited. */
enum asc_status capture_write(const struct capture *c, struct capture_forms *forms, size_t most,
			      struct asc_err *e);

/* Appends the summary, as JSON on one line. */
void capture_print(const struct capture *c, const struct capture_forms *forms, struct buf *out);

#endif
