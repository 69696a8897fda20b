/* The worker as a shared object, libasctune_worker.so: a Python interpreter loads it
 * (tuner/python/python_worker.py) and is a worker from then on. Nothing else of it is visible. */
#include <fenv.h>
#include <stdio.h>

#include "tuner/device/vendor/python_hooks.h"
#include "tuner/worker/worker_verbs.h"

int asctune_worker_serve(int fd, const struct python_hooks *hooks);

/* Serves a coordinator on `fd` to the end of its stream, called without the interpreter's lock;
 * `hooks` are valid until then, or NULL. Returns 0 when it ended well; else its reason is a line on
 * stderr. */
int asctune_worker_serve(int fd, const struct python_hooks *hooks)
{
	struct asc_err e;

	/* A module may have set another rounding when it was imported, or a library that subnormals
	 * count as zero. */
	(void)fesetenv(FE_DFL_ENV);
	python_hooks_set(hooks);
	if (worker_serve(fd, &e) == ASC_OK)
		return 0;
	(void)fprintf(stderr, "%s\n", e.text);
	return 1;
}
