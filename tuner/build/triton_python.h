/* The Python interpreters whose Triton compiles kernels: one for GPUs, $ASCTUNE_PYTHON
 * (`--python`), and one for NPUs, $ASCTUNE_PYTHON_NPU (`--python-npu`), else python3. Two, because
 * triton-ascend takes the place of Triton where it is installed.
 *
 * The facts of each are found once for a setting of these variables, PATH and PYTHONPATH; nothing
 * of Triton is imported for them. */
#ifndef ASCTUNE_BUILD_TRITON_PYTHON_H
#define ASCTUNE_BUILD_TRITON_PYTHON_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/build/interpreter.h"

struct build_command;

#define TRITON_PYTHON_VARIABLE     "ASCTUNE_PYTHON"
#define TRITON_PYTHON_NPU_VARIABLE "ASCTUNE_PYTHON_NPU"

enum triton_device { TRITON_CUDA, TRITON_NPU };

struct planner {       /* a compiler that plans the memory of NPUs */
	char *name;    /* "bishengir-compile 1.2.0 (8796a8ac1508 2026-07-29)" */
	char *targets; /* models that it plans for, a line each */
};

struct triton_python {
	enum triton_device device;
	struct interpreter interpreter;
	char *identity;           /* versions of Python, Triton and its tools; heap */
	char *triton;             /* "triton-ascend 3.2.0"; heap */
	const char **foreign;     /* options of the other device's compiler alone; NULL-terminated,
				     heap */
	struct planner *planners; /* TRITON_NPU; heap */
	size_t n_planners;
	char *facts; /* what the server is given of them, JSON; NULL: nothing */
};

/* *out is borrowed until the setting changes. ASC_ABSENT where there is no interpreter, or none
 * with a Triton that can be used. */
enum asc_status triton_python_get(enum triton_device device, const struct triton_python **out,
				  struct asc_err *e);

/* Finds the planner of an NPU model, "Ascend910B3"; NULL: none of the interpreter's compilers plans
 * for it. */
const struct planner *triton_python_planner(const struct triton_python *p, const char *model);

/* Source of a kernel that is part of the program for NPUs, function `add` of three tensors of f32
 * and an i32 with the constant BLOCK: whoever plans it can be used. */
#define TRITON_PROBE "asctune_probe:add"

/* Adds the words that start a server of the interpreter. */
void triton_python_serve(const struct triton_python *p, struct build_command *out);

#endif
