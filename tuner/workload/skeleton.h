/* Skeletons of workloads: a folder with a small workload that runs, to be changed into another. */
#ifndef ASCTUNE_WORKLOAD_SKELETON_H
#define ASCTUNE_WORKLOAD_SKELETON_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;

enum { SKELETON_MAX_FILES = 5, SKELETON_MAX_MARKS = 32 };

struct skeleton_file {
	const char *name, *text;
	bool as_it_is; /* no marks in it: a kernel of somebody else's */
};

struct skeleton_mark { /* @NAME@ in a text */
	const char *name, *text;
};

struct skeleton {
	const char *language; /* of its kernel: "c" */
	const char *device;   /* class of device that it runs on */
	/* First the workload's, then the kernel's; ended by a NULL name. */
	struct skeleton_file files[SKELETON_MAX_FILES];
};

/* Skeletons: text between languages in a list of them, language, device, workload, name and text of
 * the kernel. */
#define SKELETON_LIST(X)                                                                           \
	X("", "c", "cpu", template_c_json, "kernel.c", template_kernel_c)                          \
	X("|", "cuda", "cuda", template_cuda_json, "kernel.cu", template_kernel_cu)                \
	X("|", "triton", "cuda", template_triton_json, "kernel.py", template_kernel_py)
#define SKELETON_LANGUAGE(between, language, device, workload, name, text) between language

extern const struct skeleton skeletons[]; /* ended by a NULL language */

const struct skeleton *skeleton_find(const char *language); /* NULL: none */

/* Appends a text with the marks' texts in their places; an '@' of another kind stays. `marks` is
 * ended by a NULL name. */
void skeleton_fill(const char *text, const struct skeleton_mark *marks, struct buf *out);

/* Makes the folder NAME, which must not be there, with the files; on failure nothing is left.
 * `marks`, ended by a NULL name, are those beside the workload's name; NULL: none. ASC_INPUT for
 * what is no name of a workload, or is there already. */
enum asc_status skeleton_write(const struct skeleton *s, const char *name,
			       const struct skeleton_mark *marks, struct asc_err *e);

#endif
