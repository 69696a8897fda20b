/* One command with one failing call: started in a folder, watched to its end, and what it said.
 *
 * The process that calls these functions becomes the parent of all that a command leaves behind.
 * An injector owns the shared state and the folder's two files, `stdout` and `stderr`. */
#ifndef ASCTUNE_TESTS_INJECT_INJECT_RUN_H
#define ASCTUNE_TESTS_INJECT_INJECT_RUN_H

#include <stdbool.h>

#include "tests/inject/inject.h"
#include "tuner/base/buf.h"

struct injector {
	struct inject_state *state;
	char path[4096]; /* of the state */
	const char *library;
};

/* What fails; n 0: nothing. */
struct injection {
	enum inject_process process;
	enum inject_call call;
	long n;
	int error;
	bool ever;
	bool trace;
};

struct injected {
	bool hung;   /* killed after the time limit */
	int status;  /* as waitpid() gives it */
	long failed; /* calls that were made to fail */
	int left;    /* processes that had not ended seconds after the command: they were killed */
	struct buf output, messages; /* stdout, stderr */
};

/* False after a TAP note. `folder` must stay. */
bool injector_open(struct injector *i, const char *folder, const char *library);
void injector_close(struct injector *i);

/* Runs the program in `folder`, at most limit_s seconds. */
void inject_run(struct injector *i, const struct injection *what, const char *folder,
		const char *const *argv, int limit_s, struct injected *out);
void injected_fini(struct injected *r);

#endif
