/* Functions of Python libraries: nothing to build. What a device loads is the function's name,
 * "python:torch.nn.functional:softmax" (kernel_artifact); the worker that calls it is a Python. */
#include "tuner/base/buf.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/worker_python.h"
#include "tuner/workload/sources/sources.h"

static enum asc_status python_builder_toolchain(struct buf *out, struct asc_err *e)
{
	const struct worker_python *python;

	if (worker_python_get(&python, e))
		return e->status;
	buf_add_str(out, python->interpreter.python);
	return buf_check(out, e);
}

static void python_builder_key(const struct build_request *r, struct hash *h)
{
	/* A file with what it imports beside it; of a module the toolchain tells. */
	if (*r->source == '/')
		sources_hash(r->source, NULL, h);
	else
		hash_add_str(h, r->source);
	hash_add_str(h, r->entry);
}

static const char *const devices[] = {"cpu", "cuda", "npu", NULL};

const struct builder_ops builder_python = {
	.name = "python",
	.summary = "functions of Python libraries, called in the Python of --python",
	.devices = devices,
	.toolchain = python_builder_toolchain,
	.key = python_builder_key,
};
