/* A trial: one configuration on its way to a result.
 *
 * Who submits a trial owns it: zeroed storage that keeps its place until the trial is done,
 * cancelled or the problem has ended, then trial_fini(). Evaluator, build pool and workers refer to
 * it. */
#ifndef ASCTUNE_TUNE_EVALUATE_TRIAL_H
#define ASCTUNE_TUNE_EVALUATE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"
#include "tuner/result/result.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/workload/space/config.h"

struct binding_side;
struct evaluator_problem;
struct metric_text;
struct pool;
struct pool_done;

enum {
	TRIALS_MAX = 256,     /* most at once on a device */
	TRIALS_MAX_ALL = 2048 /* on all devices that share a problem */
};

enum trial_purpose {
	TRIAL_SEARCH, /* measured on its own, racing against the incumbent */
	TRIAL_ROUNDS, /* measured with all that were submitted, in rounds */
	TRIAL_PROFILE /* timed in several states and counted: trial.profile */
};

/* What a profile counts. Borrowed. */
struct profile_wanted {
	const char *const *probes;       /* that replay; NULL-terminated; NULL: none */
	const char *set;                 /* of metrics; NULL without probes */
	const struct metric_text *texts; /* behind the program's own */
	size_t n_texts;
	bool experiments; /* times with the caches in either state and with half the occupancy */
	bool captures;    /* whether launches may be recorded into a graph, where that takes a try,
			     after which the worker ends */
};

enum trial_state {
	TRIAL_IDLE,     /* with its owner */
	TRIAL_WAITING,  /* waits for its builds */
	TRIAL_BUILDING, /* with the pool */
	TRIAL_BUILT,    /* waits to be measured */
	TRIAL_EQUAL,    /* built; has the result of another trial's equal launch to come */
	TRIAL_SENT,     /* with the worker */
	TRIAL_DONE      /* waits to be taken */
};

struct trial {
	/* Set by the owner. Pointers are borrowed until the trial is taken. */
	uint64_t id; /* identifier, unique among pending trials */
	enum trial_purpose purpose;
	const struct implementation *implementation;
	/* Another copy of the workload, whose the implementation then is, builds and launches it on
	 * the problem's tensors; NULL: the problem's workload does. */
	const struct binding_side *side;
	const char *const *names; /* names of the space's parameters */
	size_t search;            /* number of the owner's search, and index of `config` there */
	uint64_t index;
	struct config config;
	bool full;          /* exempt from early stopping, in rounds too */
	bool is_best;       /* of TRIAL_ROUNDS: the best on record, chosen among ties */
	bool apart;         /* launched by itself, beside one whose launch is equal, too */
	bool meets_unseen;  /* of TRIAL_SEARCH: launched on inputs that it has not seen, as
			       TRIAL_ROUNDS are: no rounds follow */
	bool needed;        /* verified and sampled once even after until_ns */
	int64_t until_ns;   /* time after which no launch is begun (clock_now_ns()); 0: no limit */
	int64_t begun_ns;   /* of TRIAL_ROUNDS: when its run began, of whose time a part is for
			       launches that are compared behind the rounds; 0: none are */
	uint64_t seed;      /* seed of the order in rounds */
	double searched_ns; /* of TRIAL_ROUNDS: least time that it had before; 0: unknown */
	const struct profile_wanted *profile; /* of TRIAL_PROFILE */

	/* Content key of an artifact that an earlier run recorded: measured as it is while the
	 * cache has it (the result names the same key), else what today's sources give. NULL or "":
	 * these. */
	const char *recorded;

	/* Set by the evaluator. */
	enum trial_state state;
	size_t device;  /* of several that share a problem: its number among the session's peers */
	uint64_t order; /* number of its submission, then of its sending, then of its result */
	struct kernel_build *calls; /* of the implementation; heap */
	size_t n_calls;
	const struct trial *equal;   /* EQUAL: whose result it waits for */
	int sent;                    /* times that it was sent to a worker */
	int64_t sent_ns;             /* the last of them */
	int64_t warmed_ns;           /* time that its functions took to get warm since then */
	int alone;                   /* times that it was measured alone after failing in rounds */
	enum result_status failure;  /* its failure then */
	char launch[HASH_TEXT_SIZE]; /* launch_add() of its calls, once they are built */
	bool again;                  /* second chance: the first worker had run others before */
	bool late; /* a second result, a failure, of the trial with that id, search and index: it
		      passed, stayed loaded and was launched beside later ones. The evaluator owns
		      it; it is valid until the next poll */
	struct result result;
};

void trial_fini(struct trial *t);

/* Ends what is with the pool (NULL: nothing is) and drops the artifacts; the result stays. */
void trial_end_calls(struct trial *t, struct pool *pool);

/* True when time was up before there was a verdict: the result is ok without samples. */
bool trial_is_undecided(const struct trial *t);

/* Takes back what was built of a trial, and its result, and states what is to be built: WAITING, or
 * DONE when it cannot be. */
void trial_build_again(struct trial *t, const struct evaluator_problem *p);

/* Gives its calls to their builders, or takes the recorded artifact: BUILDING or BUILT. */
enum asc_status trial_build(struct trial *t, struct pool *pool, struct asc_err *e);

/* Takes the pool's answer for one call: BUILT after the last, or DONE: when something was only
 * planned, and when one was refused, and the others are cancelled. Fails for trouble that is not
 * the trial's: a full disk. */
enum asc_status trial_take_build(struct kernel_build *call, struct pool_done *done,
				 struct pool *pool, struct asc_err *e);

/* Adds what the planner says of the trial's calls to `r`, as metrics of RESULT_KERNEL. */
void trial_note_plans(const struct trial *t, struct result *r);

/* Completes the launches of a trial that is BUILT by what compilers say of them and no workload
 * can: their shared memory, say. DONE, with that result, where what one says does not fit. */
enum asc_status trial_complete_plans(struct trial *t, struct asc_err *e);

/* Completes them, and keys the launches of all calls by what is launched and how: trial.launch, of
 * one that is still BUILT. */
enum asc_status trial_key_launch(struct trial *t, struct asc_err *e);

/* Says of a result whose it is: of a configuration, its place being `search` and `index`, that was
 * measured in the place of another one. The name is NULL where memory has run out. */
void trial_name_same(struct result *r, const struct implementation *implementation,
		     const struct config *config, const char *const *names, size_t search,
		     uint64_t index);

/* Cancels its builds, if there are any, and clears its result. */
void trial_cancel(struct trial *t, struct pool *pool);

/* Gives a trial up, while its builds go on for a later trial or the cache (pool_leave()). */
void trial_leave(struct trial *t, struct pool *pool);

/* True while the artifacts of all calls are as they were built. */
bool trial_artifacts_hold(const struct trial *t);

#endif
