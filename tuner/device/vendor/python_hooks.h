/* Hooks into the Python that a worker runs in: what a call of a Python function needs of Python.
 *
 * The text tuner/python/python_call.py makes them as ctypes callbacks: its make_hooks() returns a
 * Structure with the members below and keeps it alive. The worker that was loaded by that Python
 * (asctune_worker_serve()) sets them before the first request, once. In any other process there are
 * none, and functions of Python are ASC_ABSENT.
 *
 * A hook takes the interpreter's lock itself and may be called without it, from the thread that
 * launches. Texts that hooks return are UTF-8, never NULL, and valid until the next hook is
 * called. Answers are JSON objects; one with "failure" ("absent", "input" or "nomem") and "text"
 * says why there is no other member. */
#ifndef ASCTUNE_DEVICE_VENDOR_PYTHON_HOOKS_H
#define ASCTUNE_DEVICE_VENDOR_PYTHON_HOOKS_H

#include <stdint.h>

enum { PYTHON_HOOKS_VERSION = 1 }; /* raised when a member or a text changes its meaning */

struct python_hooks {
	int64_t version; /* PYTHON_HOOKS_VERSION of the text that made them */
	/* Imports the function, asks whether it is available, binds its arguments and makes what is
	 * launched. The request:
	 *
	 *     {"function": "MODULE:FUNCTION" or "/FILE.py:FUNCTION", "torch": bool, "make": bool,
	 *      "available": "MODULE:FUNCTION" or null, "threads": int, of a CPU; else 0,
	 *      "device": ["cpu", number], "stream": address of the device's queue; of a CPU 0,
	 *      "arguments": [ARGUMENT...], "returns": [TENSOR...]}
	 *
	 * An ARGUMENT has the member "name" where it is passed by keyword, and one of "tensor":
	 * TENSOR, "value": number, truth or text, "list": [int...] (a tuple), or none of them
	 * (None). A TENSOR is {"name": text, "address": int, "type": "f32", "shape": [int...],
	 * "strides": [int...], in elements, "host": bool}; of "returns" it is where the result is
	 * copied to. The answer: {"call": number, "callable": address of a Python object that is
	 * called without arguments, valid until release, "note": text for the user, or ""}. */
	const char *(*prepare)(const char *request);
	/* Has a call find its tensors at other addresses; the request is that of prepare but for
	 * these. Arguments are bound to new tensors, and what is launched is made anew. Tensors of
	 * torch that something was made of change instead: making may compile. The answer:
	 * {"callable": as of prepare}. */
	const char *(*move)(int64_t call, const char *request);
	/* Settings of libraries that another call may have changed: the number of their threads. */
	void (*ready)(int64_t call);
	/* Checks what the call has returned, a borrowed Python object: number, types, shapes,
	 * device, being no part of an argument. The answer: {"results": [{"address": int,
	 * "strides": [int...], in elements}...]}, one for each of "returns". */
	const char *(*collect)(int64_t call, void *result);
	/* Words of an exception, borrowed Python objects as of PyErr_Fetch(), `traceback` perhaps
	 * NULL: its last line and where it was raised. A plain text. */
	const char *(*explain)(void *type, void *value, void *traceback);
	/* Lets all of a call go, whether it was launched or not. */
	void (*release)(int64_t call);
};

/* Sets the hooks of this process, which stay as long as it does; NULL: there are none. */
void python_hooks_set(const struct python_hooks *hooks);

/* The hooks of this process; NULL: there are none. */
const struct python_hooks *python_hooks_get(void);

#endif
