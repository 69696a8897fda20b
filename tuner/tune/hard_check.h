/* Sizes and inputs that the measured problem does not have: a chosen configuration is launched once
 * in each case and verified, never timed, in a worker process of its own. */
#ifndef ASCTUNE_TUNE_HARD_CHECK_H
#define ASCTUNE_TUNE_HARD_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct binding;
struct config;
struct evaluator_problem;
struct implementation;
struct loop_options;

struct hard_context {                       /* pointers are borrowed */
	const struct loop_options *options; /* its session has a problem, and nothing pending */
	/* Bind the problem of options, and state it, as those of a run are (loop_bind(),
	 * loop_problem()). */
	enum asc_status (*bind)(const struct loop_options *o, bool keyed, struct binding *b,
				struct asc_err *e);
	struct evaluator_problem (*problem)(const struct loop_options *o, const struct binding *b);
	int64_t began_ns;         /* start of the run, of whose time all checks have a part */
	int64_t until_ns;         /* time after which nothing is begun; 0: set by the first check */
	bool said_large;          /* a check has noted which cases are too large */
	void (*tick)(void *user); /* called while no result comes; or NULL */
	void *user;
};

/* Tries a configuration. *reason, heap, says where it failed and how: "with M = 129: y: 1 of 129
 * elements differs, ...", "on zeros: ..."; NULL: it failed nowhere that was tried. Nothing is tried
 * where the reference is no function, and where the session's evaluator cannot. A case that the
 * workload, the implementation or its conditions do not allow is passed over; so is, with a note,
 * one of too large tensors, and one for which no time is left. */
enum asc_status hard_check(struct hard_context *x, const struct implementation *i,
			   const struct config *c, const char *const *names, char **reason,
			   struct asc_err *e);

#endif
