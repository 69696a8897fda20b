/* The Python that can be a worker: that of $ASCTUNE_PYTHON (`--python`), else python3. It loads the
 * worker's library, libasctune_worker.so, which lies beside the program or where it is installed.
 *
 * Its facts are found once for a setting of these variables, PATH and PYTHONPATH; no package is
 * imported for them. */
#ifndef ASCTUNE_BUILD_WORKER_PYTHON_H
#define ASCTUNE_BUILD_WORKER_PYTHON_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/build/interpreter.h"

struct worker_python {
	struct interpreter interpreter;
	char *library; /* absolute path; heap */
};

/* True where the user has named an interpreter. */
bool worker_python_is_named(void);

/* *out is borrowed until the setting changes. ASC_ABSENT, with the reason, where there is no
 * interpreter or it cannot be a worker: too old, of another processor, not able to load the
 * library. */
enum asc_status worker_python_get(const struct worker_python **out, struct asc_err *e);

#endif
