/* The Python interpreter whose Triton compiles kernels: $ASCTUNE_PYTHON (`--python`), else python3.
 *
 * Its facts are found once for each setting of $ASCTUNE_PYTHON, PATH and PYTHONPATH; nothing of it
 * is imported for them. */
#ifndef ASCTUNE_BUILD_TRITON_PYTHON_H
#define ASCTUNE_BUILD_TRITON_PYTHON_H

#include "tuner/base/err.h"

#define TRITON_PYTHON_VARIABLE "ASCTUNE_PYTHON"

struct triton_python {
	char *executable;   /* absolute path; heap */
	char *identity;     /* versions of Python, Triton and its assemblers; heap */
	const char **reads; /* folders of the interpreter and its packages; NULL-terminated, heap */
};

/* *out is borrowed until the setting changes. ASC_ABSENT where there is no interpreter, or none
 * with a Triton of a supported version. */
enum asc_status triton_python_get(const struct triton_python **out, struct asc_err *e);

/* Texts of triton_helper.py and triton_serve.py, parts of the library: what a Python process of
 * builder triton runs. The first alone probes; with the second behind it, it serves. */
extern const char triton_helper[];
extern const char triton_serve[];

#endif
