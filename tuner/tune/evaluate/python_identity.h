/* What a Python function consists of: the libraries whose modules are loaded once its own is, with
 * what they require, the files of no library, and the variables of the environment that libraries
 * go by. It is found by importing the module in a process of its own, as a worker would, and kept:
 *
 *     CACHE/python/identity/KEY    by interpreter, environment and module: what that process has
 *                                  said of all functions of the module that were asked for, a line
 *                                  of JSON, then a line "SIZE TIME PATH" for each file that it was
 *                                  found out from, and each folder of sys.path
 *
 * What is kept counts while all of these are as they were. Neither is read nor written for a
 * workload that is not trusted, whose modules say what they like.
 *
 * The caller owns the storage: python_identity_find(), python_identity_fini(). */
#ifndef ASCTUNE_TUNE_EVALUATE_PYTHON_IDENTITY_H
#define ASCTUNE_TUNE_EVALUATE_PYTHON_IDENTITY_H

#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct callable;
struct evaluator_problem;
struct evaluator_target;
struct workload;

/* Time for an import: torch takes some seconds, from a slow disk half a minute. */
#define PYTHON_IDENTITY_LIMIT_NS INT64_C(120000000000)

struct python_identity {
	char *toolchain; /* "CPython 3.11.7, torch 2.11.0 #3f2a91bc, ..., TORCH_X=1"; heap */
	char *sources;   /* {"eager.py": KEY, ...}: files of no library, the function's own first;
			    those below the workload's folder relative to it; heap */
	char digest[HASH_TEXT_SIZE]; /* of all of it */
};

/* Finds it for a call of builder python. ASC_ABSENT, with the reason: no interpreter, no such
 * module or function, a module that does not come back within `limit_ns`, that ends the process, or
 * whose library has a broken RECORD. Such a failure is remembered by this process. */
enum asc_status python_identity_find(const struct workload *w, const struct callable *c,
				     const struct evaluator_target *t, int64_t limit_ns,
				     struct python_identity *out, struct asc_err *e);
void python_identity_fini(struct python_identity *i);

/* Prints the places of the Python functions of the problem on its device, a line each: what its
 * workers import, but for what could not be imported, as this process remembers. *out, a heap
 * string, is NULL where none of them can take part. */
enum asc_status python_identity_places(const struct evaluator_problem *p,
				       const struct evaluator_target *t, char **out,
				       struct asc_err *e);

#endif
