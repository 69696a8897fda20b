/* Evaluators: the seam between the tuning loop and the source of results: a worker, recorded
 * results, several devices.
 *
 * Asynchronous: evaluator_ops.submit hands trials over, poll gives them back in any order. */
#ifndef ASCTUNE_TUNE_EVALUATE_EVALUATOR_H
#define ASCTUNE_TUNE_EVALUATE_EVALUATOR_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/tune/evaluate/physics.h"
#include "tuner/worker/inputs_hard.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/protocol.h"
#include "tuner/workload/binding/binding.h"

struct evaluator;
struct device_ops;
struct device_info;
struct limits;
struct peaks;
struct pool;
struct recorded;
struct session;
struct trial;

/* Stages of an evaluator; on a device that shares the host with the compilers, one at a time. */
enum evaluator_stage {
	EVALUATOR_BUILDING,
	EVALUATOR_REFERENCE, /* a worker sets the problem up: inputs and reference */
	EVALUATOR_MEASURING
};

struct evaluator_target { /* target of all problems of a session; borrowed until close */
	const struct device_ops *device;
	const char *place; /* as in device_ops.open */
	const struct device_info *info;
	const struct limits *limits; /* of a known model; NULL: none are known */
	const char *cache;           /* folder */
	int64_t references_bytes;    /* set by the evaluator: that the cache's references may take
					at most; 0: any number */
	const char *program;         /* path of this executable, to start `asctune worker` */
	const char *const *probes;   /* NULL-terminated names, or NULL */
	size_t build_jobs;
	struct pool *pool;   /* that the sessions of several devices share, with its jobs; NULL:
				the evaluator makes one */
	const char *planner; /* set by the evaluator: who is asked before a configuration is built;
				NULL: nobody is */
	bool build_only;     /* the device need not be here, and is not opened. Facts that it
			   does not tell are known when it is, implementations without anything to
			   build take no part */
	bool rebuild; /* builds anew, whatever the cache has; recorded artifacts are still those of
			 the cache */

	/* Members for the evaluator "replay", which needs no others. */
	const struct recorded *const *recorded; /* of each search */
	size_t ahead;                           /* number of trials that it wants pending */
	double *recorded_ns; /* clock that several share, set by the caller; NULL: its own */

	/* Members for the evaluator "several". */
	const struct evaluator_ops *own; /* evaluator of the session's device */
	struct session *session;         /* set by session_start() */
};

struct evaluator_fds { /* what is waited for */
	struct pollfd *list;
	size_t n, room;
	bool shares_pool; /* the pool's, which several share, are in it */
};

struct evaluator_problem {                     /* borrowed until the next one, or close */
	const struct evaluator_target *target; /* set by the evaluator */
	const struct binding *binding;
	uint64_t seeds[WORKLOAD_MAX_SETS]; /* of each set of inputs, the first of them
					      INPUTS_SEED */
	size_t n_sets;
	int64_t references_ns; /* time for references of the sets behind the first, where their
				  inputs are made: worker_problem_request */
	enum hard_set hard;    /* what they are changed to */
	bool small;            /* its reference is the C function's, whatever the device has */
	bool python; /* has Python functions that take part: its worker is the user's Python */
	const char *implementation; /* the only one that takes part, or NULL */
	bool shared; /* goes on in the process of the problem before, where that is in order and the
			cache has the references */
	struct physics physics; /* by which results are impossible; zeroed: none is */
	struct policy policy;
	int64_t setup_until_ns; /* time limit of inputs and reference (clock_now_ns()), else
				   ASC_TIMEOUT; 0: ten minutes */
	int64_t patience_ns; /* on a device that shares the host: time after which built trials are
				measured though others are still to be built; 0: after all builds */
	/* Called within poll: reads the result that was recorded of a trial after it was taken, so
	 * that an equal launch is not measured again; *out is initialised, and out->same says whose
	 * result it is. Or NULL: it is. */
	enum asc_status (*recall)(void *user, size_t search, uint64_t index, struct result *out,
				  bool *found, struct asc_err *e);
	/* Called within poll when another stage begins, before anything is measured in it; in
	 * EVALUATOR_REFERENCE again for each of the workload's functions that begins: `doing` is
	 * "the reference", say, in other stages "". Or NULL. */
	void (*stage)(void *user, enum evaluator_stage stage, const char *doing);
	/* Called within poll when `done` of the `of` builds that are asked for have ended. Or NULL.
	 */
	void (*built)(void *user, int64_t done, int64_t of);
	/* Called within poll when the problem is set up: with so many of its sets of inputs. Or
	 * NULL. */
	void (*sets)(void *user, size_t n);
	/* Called within poll when finals go on. Or NULL. */
	void (*finals)(void *user, const struct finals_progress *p);
	void *user;
	const volatile sig_atomic_t *stop; /* not 0: nothing is waited for; NULL: it never is */
};

struct evaluator_ops {
	const char *name;
	const char *summary;
	enum asc_status (*open)(const struct evaluator_target *t, struct evaluator **out,
				struct asc_err *e);
	/* Starts the compilers of one implementation, or of all (NULL) that the device can run, so
	 * that the first builds need not wait for them. Or NULL. */
	void (*warm)(struct evaluator *v, const struct workload *w, const char *implementation);
	/* Begins the builds of a trial of another problem, behind all that is pending, and gives
	 * the trial up: its kernels are built while this problem is measured. Or NULL. */
	enum asc_status (*build_ahead)(struct evaluator *v, const struct evaluator_problem *p,
				       struct trial *t, struct asc_err *e);
	/* Goes on to another problem; workers, compilers and the opened device stay. After an error
	 * of poll it may be called too. */
	enum asc_status (*begin)(struct evaluator *v, const struct evaluator_problem *p,
				 struct asc_err *e);
	/* Begins a small problem, without anything pending, while the one that was begun waits with
	 * its worker: in a process that all such problems share. `go_back`: on with the one that
	 * waits. Or NULL, both. */
	enum asc_status (*beside)(struct evaluator *v, const struct evaluator_problem *p,
				  struct asc_err *e);
	enum asc_status (*go_back)(struct evaluator *v, struct asc_err *e);
	/* Ends the problem: gives all of its trials back to their owner and kills what runs of
	 * them. */
	void (*end)(struct evaluator *v);
	/* Closes the evaluator, after the end of the last problem. */
	void (*close)(struct evaluator *v);
	/* Finds the memory planner that is asked before a configuration of the problem is built, by
	 * name and version; NULL: none is, and *why says why, NULL where there is nothing to ask.
	 * Or NULL. */
	const char *(*planner)(const struct evaluator *v, const char **why);
	/* Number of trials that it wants pending now, at most TRIALS_MAX for each device. `all`:
	 * whatever is left will be asked for, so that it may choose the order. */
	size_t (*capacity)(const struct evaluator *v, bool all);
	/* Number of devices that measure the trials now. NULL: one. */
	size_t (*devices)(const struct evaluator *v);
	/* Time that passes while trials are evaluated: clock_now_ns(), or what recorded evaluations
	 * took. */
	int64_t (*now_ns)(const struct evaluator *v);
	/* Takes trials of one purpose on. Those for TRIAL_ROUNDS (at most FINALISTS_MAX,
	 * with nothing else pending) are measured together: in the results that are ok, samples of
	 * equal index are of the same round; clearly slower trials have fewer. When one of
	 * them fails, its rounds are repeated with it alone in a fresh worker: if it fails there
	 * too, that is its result; if not, it takes part again where it was wrong, or is ok
	 * without samples, with the reason, where it crashed or hung. The others are measured
	 * again. */
	enum asc_status (*submit)(struct evaluator *v, struct trial *const *list, size_t n,
				  struct asc_err *e);
	/* Cancels a trial that no worker has; false when its result will come all the same. */
	bool (*cancel)(struct evaluator *v, struct trial *t);
	/* Gives one trial back with its result; *out is NULL when none was done within timeout_ns,
	 * by now_ns, or when it wants more trials than before. An error means that nothing more
	 * will come. */
	enum asc_status (*poll)(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				struct asc_err *e);
	/* Adds what poll waits for, and returns the time (now_ns) at which it has something to do
	 * without that, INT64_MAX: never. Where nothing is added, time passes by polling. */
	int64_t (*next_ns)(const struct evaluator *v, struct evaluator_fds *fds);
	/* Sets the incumbent that trials of TRIAL_SEARCH race against from now on; copied. */
	enum asc_status (*incumbent)(struct evaluator *v, const struct result *r,
				     struct asc_err *e);
	/* Measures peaks as device_ops.peaks does, until then at most (clock_now_ns(); 0: no
	 * limit); nothing may be pending. NULL: there is no device. */
	enum asc_status (*peaks)(struct evaluator *v, enum dtype type, struct peaks *out,
				 int64_t until_ns, struct asc_err *e);
};

/* Entries of evaluator_list, each defined in a file of its own. */
extern const struct evaluator_ops evaluator_worker, evaluator_replay, evaluator_several;
extern const struct evaluator_ops *const evaluator_list[];
const struct evaluator_ops *evaluator_find(const char *name);

#endif
