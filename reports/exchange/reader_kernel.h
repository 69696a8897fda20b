/* Kernels whose tables libraries read: where a package has each, its parameters in the version that
 * is known, and the launches that the library makes of it, as texts of a workload.
 *
 * All of it is plain data; a struct reader_marks owns its texts. */
#ifndef ASCTUNE_EXCHANGE_READER_KERNEL_H
#define ASCTUNE_EXCHANGE_READER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/err.h"
#include "tuner/workload/skeleton.h"

enum { READER_MAX_SIZES = 8, READER_MAX_PROBLEMS = 64 };

/* Places of sizes of a layer of experts. */
enum { READER_PLACE_E = 0, READER_PLACE_TOP_K = 3 };

struct reader_type {
	const char *name;    /* as the command line and the reader call it */
	const char *element; /* of the result */
};

/* Sizes and type of a layer, or of a product. */
struct reader_layer {
	int64_t sizes[READER_MAX_SIZES];   /* those of the kernel, in its order; 0: not given */
	int64_t rows[READER_MAX_PROBLEMS]; /* sizes of the rows: tokens */
	size_t n_rows;
	struct reader_type type;
	int64_t top_k; /* experts of a token; these three are of a layer of experts alone */
	size_t n_experts;
	double *tokens; /* of each expert, heap */
};

/* Marks of a skeleton's texts; the caller owns the storage: `struct reader_marks m = {0}`, then
 * reader_marks_fini(). */
struct reader_marks {
	struct skeleton_mark list[SKELETON_MAX_MARKS + 1]; /* ended by a NULL name */
	size_t n;
	char *texts[4];
	size_t n_texts;
	bool failed; /* out of memory */
};

/* Adds a mark whose text lives on / whose heap text the marks own from then on, NULL: no memory. */
void reader_marks_add(struct reader_marks *m, const char *name, const char *text);
void reader_marks_take(struct reader_marks *m, const char *name, char *text);
void reader_marks_fini(struct reader_marks *m);

struct reader_kernel {
	const struct reader_ops *reader;
	const char *source;              /* package.module:kernel */
	const char *version;             /* of the package whose launches the workload has */
	const char *parameters;          /* of the kernel in that version, in order, words */
	const char *file;                /* of the kernel in the workload's folder */
	const char *example;             /* of sizes and type */
	const char *const *sizes;        /* beside the rows' and the type, "dtype" */
	size_t n_needed;                 /* the first of them; the others are for some types */
	const struct reader_type *types; /* ended by a NULL name */
	int64_t most_experts;            /* that the library sorts for; 0: of a product */
	/* Fails for sizes that cannot be launched. */
	enum asc_status (*check)(const struct reader_kernel *self, const struct reader_layer *l,
				 struct asc_err *e);
	/* Changes the library's default to what its launcher passes; NULL: it passes the same. */
	void (*cut)(const struct reader_layer *l, struct reader_config *c);
	/* Adds the marks that differ between kernels, and what `entry` is launched with. */
	void (*add_marks)(const struct reader_kernel *self, const struct reader_layer *l,
			  const char *entry, struct reader_marks *out);
	struct skeleton_file files[SKELETON_MAX_FILES - 1]; /* the kernel's comes second */
};

/* Finds the kernel of a reader, "vllm:moe"; NULL: none. */
const struct reader_kernel *reader_kernel_find(const char *reader);

/* Names of the readers that have one, ended by NULL. */
extern const char *const reader_kernel_names[];

#endif
