/* The start of a worker in the user's Python: its command, its environment, and what its sandbox
 * has beside that of any worker. The caller owns the storage: python_worker_init(),
 * python_worker_fini(). */
#ifndef ASCTUNE_TUNE_EVALUATE_PYTHON_WORKER_H
#define ASCTUNE_TUNE_EVALUATE_PYTHON_WORKER_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct evaluator_target;
struct implementation;

enum { PYTHON_WORKER_VARIABLES = 12 };

struct python_worker {
	const char **argv;      /* NULL-terminated */
	const char **reads;     /* folders, NULL-terminated: those given, and the interpreter's */
	const char **variables; /* NULL-terminated: those given, and its own */
	const char *writes[2];  /* the folder of libraries' caches, NULL-terminated */
	/* What the lists borrow. */
	char *text, *places, *caches;
	char *own[PYTHON_WORKER_VARIABLES];
};

/* True for an implementation with a call of a Python function. */
bool python_worker_runs(const struct implementation *i);

/* `places` as python_identity_places() prints them, "": nothing is imported; `own`: the worker's
 * folder. `reads` and `variables`, NULL-terminated, are borrowed. Caches of libraries lie in the
 * cache, by interpreter and device; in `own` where the workload is not trusted. ASC_ABSENT where no
 * interpreter can be a worker. */
enum asc_status python_worker_init(struct python_worker *out, const struct evaluator_target *t,
				   const char *places, const char *own, const char *const *reads,
				   const char *const *variables, struct asc_err *e);
void python_worker_fini(struct python_worker *w);

/* True for a variable, NAME=VALUE, that workers have one of their own in the place of. */
bool python_worker_sets(const char *variable);

/* Texts of tuner/python that the command has. */
extern const char python_call_text[];
extern const char python_worker_text[];
extern const char python_identity_text[];

#endif
