/* Configurations that are built and not launched, on a machine that need not have the device: the
 * same requests as those of a run, so that a run finds them in the cache.
 *
 * The caller owns a struct builds: builds_open(), then builds_make() for one problem or many,
 * builds_close(). Compilers stay while problems come and go. */
#ifndef ASCTUNE_TUNE_BUILDS_H
#define ASCTUNE_TUNE_BUILDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct binding;
struct db;
struct evaluator_target;
struct impl_search;
struct kernel_build;
struct loop_options;
struct making;
struct pool;
struct trial;

/* Outcome of one configuration, or of a function that a run of the problem needs: its reference, or
 * one that fills a tensor. Borrowed during the call. */
struct build_event {
	const struct loop_options *of; /* the problem's, as builds_make() was given them */
	const struct binding *binding;
	const struct impl_search *search; /* of the configuration; NULL: a function */
	const struct trial *trial;        /* with its configuration and log; NULL: a function */
	const char *function;             /* name in messages; NULL: a configuration */
	bool first;                /* the default, or what was asked for: the others are drawn */
	enum result_status status; /* OK: built */
	const char *reason;        /* one line, or NULL */
	bool cached;               /* nothing was compiled */
	int64_t spent_ns;          /* time of the compilers */
	const struct kernel_build *kernels; /* zeroed from the first that cannot be stated */
	size_t n_kernels;
};

/* True where all kernels of the event are built, or planned. */
bool build_event_is_built(const struct build_event *event);

struct builds_watch {
	/* Called when a problem begins, with the number of configurations that are to be built. */
	void (*begin)(void *user, const struct binding *b, uint64_t planned);
	/* Called at the end of each configuration and function. A failure ends everything. */
	enum asc_status (*built)(void *user, const struct build_event *event, struct asc_err *e);
	void (*waiting)(void *user); /* called several times a second while nothing ends */
	/* Called where a problem fails, with what it failed with; what it returns, ASC_OK or *e,
	 * ends everything, or that problem alone. NULL: everything ends. */
	enum asc_status (*failed)(void *user, const struct loop_options *o, struct asc_err *e);
	void *user;
};

struct builds {
	struct pool *pool;
	struct trial *slots; /* TRIALS_MAX of them, one for each configuration on its way */
	struct making **of;  /* the problem of each */
	size_t jobs;         /* compilers at once */
};

/* `b` is zeroed. */
enum asc_status builds_open(struct builds *b, const struct evaluator_target *t, struct asc_err *e);

/* Builds the functions of each problem and configurations of each implementation: the default, then
 * those that the strategy chooses, budget.trials of an implementation at most; 0: all. Several
 * problems are built at once, begun as they are listed. Of the options workload, problem,
 * implementation, session, strategy, budget.trials, seed, config, recorded, rewrites_off, noted and
 * stop count; the session need not be started. ASC_ABSENT: no implementation can be built; what
 * else a run may fail with before its first trial. */
enum asc_status builds_make(struct builds *b, const struct loop_options *list, size_t n,
			    const struct builds_watch *watch, struct asc_err *e);

void builds_close(struct builds *b);

/* Begins the builds of the configurations that a loop with these options asks for first, in the
 * session's evaluator, beside the problem that it measures; nothing is waited for, and a loop that
 * follows finds them under way or in the cache. `db` is asked for earlier results as that loop will
 * ask it. The session builds ahead (session_builds_ahead()). */
enum asc_status builds_ahead(const struct loop_options *o, struct db *db, struct asc_err *e);

#endif
