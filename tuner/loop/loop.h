/* The tuning loop: ask a strategy, have the answer built and run, record what came of it, tell the
 * strategy.
 *
 * One call tunes one problem of one workload on one device, over all implementations that cover it:
 * each has a space and a strategy of its own, and they take turns. The default configuration of
 * each is tried first, and that of the workload's baseline whatever the budget is. */
#ifndef ASCTUNE_LOOP_LOOP_H
#define ASCTUNE_LOOP_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/model/result.h"
#include "tuner/model/roofline.h"
#include "tuner/model/tie.h"
#include "tuner/run/evaluator.h"

struct binding;
struct db;
struct json_writer;
struct problem;
struct strategy_ops;
struct workload;
struct loop_event;
struct loop_summary;

/* Inputs are the same in every run, so that references are computed once and results of different
 * runs compare. */
enum { LOOP_INPUT_SEED = 1 };

struct loop_budget {     /* whichever ends first; a trial that a worker has is waited for,
				or cut short when time is up */
	uint64_t trials; /* 0: no limit */
	int64_t ns;      /* 0: no limit */
};

struct loop_options { /* all borrowed during the call */
	const struct workload *workload;
	const struct problem *problem;
	const char *implementation; /* only this one, or NULL */
	const struct device_ops *device;
	int ordinal;
	const struct device_info *info;
	const struct evaluator_ops *evaluator;
	const struct strategy_ops *strategy; /* NULL: exhaustive where the budget surely covers the
						space, else random */
	struct loop_budget budget;
	uint64_t seed; /* of the search; inputs do not depend on it */
	/* NAME=VALUE,...: this configuration alone, without finals; a parameter that is not named
	 * has the value of the default configuration. NULL: those that the strategy asks for. */
	const char *config;
	struct rule rule;
	const char *const *probes; /* NULL-terminated names, or NULL */
	const char *cache, *program, *version;
	size_t build_jobs;
	bool resume;           /* take recorded results instead of measuring again */
	unsigned rewrites_off; /* rewrite_bit()s of those that are switched off */
	struct db *db;
	struct buf *noted;                 /* what was said of implementations that are left out: it
					      is said once; NULL: always */
	struct loop_peaks *peaks;          /* NULL: they are not wanted */
	const volatile sig_atomic_t *stop; /* not 0: end now, keep what is recorded */

	/* Called once the problem is known to be usable, before anything is built; may set `db`. Or
	 * NULL. */
	enum asc_status (*ready)(void *user, struct asc_err *e);

	/* Called at the start (no event) and after every trial, with what is known so far. */
	void (*progress)(void *user, const struct loop_summary *so_far,
			 const struct loop_event *last);

	/* Called when another phase begins, and while a result is waited for: several times a
	 * second, but once while a kernel is measured on processors that this process takes time
	 * of. Or NULL. */
	void (*waiting)(void *user, const struct loop_summary *so_far);
	void *user;
};

struct loop_event { /* a trial that has just ended; borrowed during the call */
	const struct binding *binding;
	const struct implementation *implementation;
	const struct config *config;
	const char *const *names; /* of its parameters */
	const struct result *result;
	bool resumed, best; /* taken from the database; the best so far */
};

struct loop_trial {
	bool found, recorded;       /* recorded: only median and configuration, by an earlier run */
	const char *implementation; /* borrowed from the workload */
	struct buf config;          /* NAME=VALUE,... in file order */
	struct stats_summary time;
	double clock_mhz; /* at which that was measured; 0: unknown */
	struct error_norms errors;
};

struct loop_failure {               /* an example of a status that is one */
	char *reason, *config;      /* heap; NULL: there is none. NAME=VALUE,... */
	const char *implementation; /* borrowed from the workload */
};

struct loop_finalist {              /* of the rounds that end a search */
	const char *implementation; /* borrowed from the workload */
	struct buf config;
	struct stats_summary time;
	double clock_mhz;
	double ratio; /* to the chosen one in the same round: median and interval */
	struct stats_interval interval;
	enum standing standing;
	bool winner;
};

/* What the samples of a run say of the machine; those taken again are counted too. */
struct loop_steadiness {
	int64_t samples, load, clock; /* taken; marked for other load, for a low clock */
	int64_t hot,
		capped; /* of those kept: clock lowered to keep cool; set by the limit of power */
	int64_t retaken;
	bool clock_known; /* the clock could be read */
};

/* More than 5 % of the samples are marked: figures of such a run are to be read with care. */
bool loop_was_unsteady(const struct loop_steadiness *s);

/* More than 20 % are: that is said first. */
bool loop_was_busy(const struct loop_steadiness *s);
void loop_steadiness_write_json(const struct loop_steadiness *s, const char *key,
				struct json_writer *w);

/* What a run does now. */
#define LOOP_PHASE_LIST(X)                                                                         \
	X(BUILDING, "building")                                                                    \
	X(REFERENCE, "reference")                                                                  \
	X(MEASURING, "measuring")                                                                  \
	X(FINALS, "finals")

enum loop_phase {
#define X(id, name) LOOP_##id,
	LOOP_PHASE_LIST(X)
#undef X
		LOOP_PHASE_COUNT
};

const char *loop_phase_name(enum loop_phase p);

struct loop_summary {
	int64_t run_id;
	enum loop_phase phase;
	int64_t done, of;     /* of BUILDING: builds; of FINALS: rounds, at most; 0: not known */
	const char *strategy; /* "random", "exhaustive", or "mixed" when implementations differ */
	uint64_t planned;     /* trials that budget and space allow */
	uint64_t trials;      /* done, resumed ones too */
	uint64_t resumed;     /* of them, taken from the database */
	uint64_t by_status[RESULT_STATUS_COUNT];
	double valid, cartesian; /* configurations of all spaces */
	double flops, bytes;     /* of one run of the problem; 0: not stated */
	struct peaks peaks;      /* of the device for the problem's elements, as far as they are
				    known; see loop_options */
	bool has_element;        /* peaks.type is known */
	/* Of the search while it goes on; in the end as answer_take() gives them. */
	struct loop_trial best;
	struct loop_trial preset;   /* default configuration: of the first implementation whose one
				       passed, in the end of the best's */
	struct loop_trial baseline; /* the fastest of the implementation that the workload compares
				       with; `recorded`: not measured in the best's rounds */
	bool baseline_raced;        /* it is a finalist */
	struct sureness sure;
	int64_t answer_run_id; /* whose finals, or trial, the best is of; 0: nothing passed */
	struct loop_finalist finalists[EVALUATOR_MAX_FINALISTS]; /* the best, then fastest first */
	size_t n_finalists; /* 0: no finals were held, `best` has the lowest median */
	char *foreign;      /* name of an implementation that the workload has no more; heap */
	struct loop_steadiness steady;
	int64_t wall_ns, search_ns, record_ns, peaks_ns;
	int64_t spent_ns[PHASE_COUNT];        /* of the trials; builds run side by side */
	int64_t phase_ns[LOOP_PHASE_COUNT];   /* of the run: BUILDING is waiting for compilers */
	int64_t flush_ns;                     /* in flushing caches, as in struct result */
	bool interrupted, preset_of_baseline; /* the second: while the search goes on */
	struct loop_failure failures[RESULT_STATUS_COUNT]; /* the first of each status */
	char *preset_failure; /* the first of a default configuration, "failed: STATUS: REASON",
				 heap, or NULL */
};

void loop_summary_init(struct loop_summary *s);
void loop_summary_fini(struct loop_summary *s);

/* ASC_ABSENT when no implementation can run on this device, or all that can have empty spaces.
 * Errors of the database or of the worker end the loop; what was recorded before stays. */
enum asc_status loop_run(const struct loop_options *o, struct loop_summary *out, struct asc_err *e);

#endif
