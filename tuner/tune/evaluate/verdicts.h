/* Questions to the memory planner of an NPU about configurations of Triton kernels, asked side by
 * side and answered from the cache where the same was asked before, whoever asked it: a verdict is
 * of a kernel, its constants and options, and the types of its arguments, and of no problem.
 *
 * The caller owns the desk: verdicts_open(), verdicts_close(). One thread. */
#ifndef ASCTUNE_TUNE_EVALUATE_VERDICTS_H
#define ASCTUNE_TUNE_EVALUATE_VERDICTS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/build/verdict.h"

struct binding;
struct callable;
struct config;
struct facts;
struct implementation;
struct limits;
struct pool;
struct problem;
struct verdicts;
struct workload;

struct planned_target { /* an NPU model that kernels are planned for; borrowed */
	const char *device;
	const struct facts *facts;
	const struct limits *limits;
	unsigned rewrites_off; /* rewrite_bit()s */
};

/* Binds a problem for the target, as binding_init() does, with its limits and rewrites. */
enum asc_status planned_bind(const struct planned_target *t, const struct workload *w,
			     const struct problem *p, struct binding *out, struct asc_err *e);

struct verdict_question { /* all borrowed for the call */
	const struct binding *binding;
	const struct implementation *implementation;
	size_t call;                 /* index of the kernel among the implementation's calls */
	const struct config *config; /* values in the order of `names` */
	const char *const *names;
};

/* Finds who plans for an NPU model, by name and version, *name borrowed for the program's life or
 * until the interpreter's setting changes. ASC_ABSENT, with what is missing: no interpreter, no
 * compiler for the model, or one that does not plan a probe kernel, which `pool` keeps the answer
 * of. `program`: path of this executable. */
enum asc_status planner_find(struct pool *pool, const char *model, const char *program,
			     const volatile sig_atomic_t *stop, const char **name,
			     struct asc_err *e);

/* The kernel of a call that a planner can be asked about: of a Triton kernel the call itself, of
 * its twin the call with the kernel that it stands for, in *storage; NULL: none. */
const struct callable *planned_call(const struct callable *c, struct callable *storage);

/* True where a planner can be asked about a call of the implementation. */
bool planned_any(const struct implementation *i);

/* `cache`: the cache's folder. ASC_ABSENT as planner_find(). */
enum asc_status verdicts_open(const char *cache, const char *model, const char *program,
			      size_t jobs, const volatile sig_atomic_t *stop, struct verdicts **out,
			      struct asc_err *e);
void verdicts_close(struct verdicts *v);

const char *verdicts_planner(const struct verdicts *v); /* name and version; borrowed */

/* Asks one question: *out is borrowed until verdicts_close(), the same for equal questions, and
 * NONE until it is answered in verdicts_await(). ASC_INPUT where the configuration's launch cannot
 * be stated. */
enum asc_status verdicts_ask(struct verdicts *v, const struct verdict_question *q,
			     const struct verdict **out, struct asc_err *e);

/* Waits until at most `most` questions are open, or for `timeout_ns` (-1: as long as it takes).
 * ASC_FULL and what else would keep every question from its answer. */
enum asc_status verdicts_await(struct verdicts *v, size_t most, int64_t timeout_ns,
			       struct asc_err *e);

size_t verdicts_open_questions(const struct verdicts *v);
size_t verdicts_asked(const struct verdicts *v);   /* different questions so far */
size_t verdicts_started(const struct verdicts *v); /* of these, those that no cache answered */

#endif
