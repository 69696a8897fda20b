/* The summary of a loop: counts, times, the best and the default configuration; in the end its
 * answer. The caller owns the storage: loop_summary_init(), loop_summary_fini(). */
#ifndef ASCTUNE_TUNE_LOOP_SUMMARY_H
#define ASCTUNE_TUNE_LOOP_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/result/baselines.h"
#include "tuner/result/objective.h"
#include "tuner/result/profile.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/search/patience.h"
#include "tuner/tune/tally.h"

struct impl_search;
struct impl_searches;
struct binding;
struct config;
struct json_writer;
struct loop_options;
struct session;

struct loop_trial {
	bool found, recorded;       /* recorded: only median and configuration, by an earlier run */
	const char *implementation; /* borrowed from the workload */
	struct buf config;          /* NAME=VALUE,... in file order */
	struct stats_summary time;
	double ratio;     /* time as a multiple of the best's, as in struct best_row; 0: unknown */
	double score;     /* score by the policy, of a trial of this run */
	double clock_mhz; /* clock of that measurement; 0: unknown */
	double host_ns;   /* of the best, as in struct best_row */
	struct error_norms errors;
	enum verified_by verified_by;
};

struct loop_failure {               /* example of a failure */
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
	bool same_code; /* the chosen one's code, launched alike: they were measured once */
};

struct loop_profile {               /* why a configuration takes its time */
	const char *implementation; /* borrowed from the workload */
	struct buf config;          /* NAME=VALUE,... in file order */
	bool found;                 /* the rest is there */
	enum result_status status;  /* of its trial; its failure is profile.failure */
	struct stats_summary time;
	struct profile profile;
};

enum { LOOP_PROFILES_MAX = FINALISTS_MAX };

/* Counts of the samples of a run by what disturbed them; samples taken again are counted too. */
struct loop_steadiness {
	int64_t samples, load, clock; /* taken; marked for other load, for a low clock */
	int64_t hot,
		capped; /* of those kept: clock lowered to keep cool; set by the limit of power */
	int64_t retaken;
	bool clock_known;              /* the clock could be read */
	const struct session *session; /* of a command on several devices, borrowed; NULL: the
					  device is the only one */
	uint16_t *devices; /* of each recorded trial, by number among the session's peers; heap */
	size_t n_devices, room;
};

/* More than 5 % of the samples are marked: figures of such a run are to be read with care. */
bool loop_was_unsteady(const struct loop_steadiness *s);
void loop_steadiness_write_json(const struct loop_steadiness *s, const char *key,
				struct json_writer *w);

/* End of a search before its budget. */
struct loop_patience {
	bool over;
	struct patience_wanted wanted;
	uint64_t trials;     /* trials until then */
	double expected_pct; /* gain that was expected of the rest; infinite: not known */
};

void loop_patience_write_json(const struct loop_patience *p, const char *key,
			      struct json_writer *w);

/* Phases of a run. */
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
	char doing[160];       /* of REFERENCE: the workload's function that runs, "the reference";
				  "": none */
	enum finals_step step; /* of FINALS */
	int64_t retakes;       /* of FINALS: disturbed samples taken again until the round that goes
				  on, since the last one was over; 0: none */
	int64_t done, of;     /* of BUILDING: builds; of FINALS: as its step counts, at most; 0: not
				 known */
	int64_t ends_ns;      /* of FINALS: expected end by clock_now_ns(); 0: not known */
	const char *strategy; /* "random", "exhaustive", or "mixed" when implementations differ */
	uint64_t planned;     /* trials that budget and space allow */
	uint64_t trials;      /* done, resumed ones too; without what a planner refused */
	uint64_t resumed;     /* of them, taken from the database */
	uint64_t same_code;   /* of them, not measured, since another one has the same code */
	uint64_t by_status[RESULT_STATUS_COUNT];
	double valid, cartesian;          /* configurations of all spaces */
	const char *planner;              /* as evaluator_ops.planner says; borrowed */
	const char *no_planner;           /* why nobody is asked; NULL: there is nothing to ask */
	double unasked;                   /* configurations that are not, for want of a planner */
	struct buf history, history_json; /* earlier results that the search began with, as
					     search_history_print() and search_history_write_json()
					     say; "": none */
	double flops, bytes;              /* of one run of the problem; 0: not stated */
	bool has_element;
	enum dtype element;     /* that the problem computes in */
	struct peaks peaks;     /* of the device for that type, as far as they are known; see
				   loop_options */
	struct physics physics; /* least work of the problem, and limits of the device */
	bool peaks_late;        /* they are not measured yet, and no time was left for it */
	/* Trials of the search while it goes on; in the end those that answer_take() gives. */
	struct loop_trial best;
	struct loop_trial default_trial; /* default configuration: of the first implementation whose
				     one passed, in the end of the best's */
	struct loop_baseline {
		struct loop_trial trial; /* `recorded`: not measured in the best's rounds */
		bool raced;              /* it is a finalist */
	} baselines[BASELINES_MAX]; /* the fastest of each implementation that the workload compares
				       with, in its order */
	struct sureness sure;
	struct objective_answer energy; /* what the answer rests on where energy decided */
	int64_t answer_run_id; /* whose finals, or trial, the best is of; 0: nothing passed */
	struct loop_finalist finalists[FINALISTS_MAX]; /* the best, then fastest first */
	size_t n_finalists; /* 0: no finals were held, `best` has the lowest median */
	/* Names of implementations of best and finalists that the workload has no more; heap. */
	char *foreign[1 + FINALISTS_MAX];
	struct loop_profile profiles[LOOP_PROFILES_MAX]; /* the best's first */
	size_t n_profiles;
	struct loop_steadiness steady;
	struct loop_patience patience;
	int64_t wall_ns, search_ns, record_ns, peaks_ns, profile_ns;
	int64_t spent_ns[PHASE_COUNT];         /* of the trials; builds run side by side */
	int64_t phase_ns[LOOP_PHASE_COUNT];    /* of the run: BUILDING is waiting for compilers */
	int64_t flush_ns;                      /* in flushing caches, as in struct result */
	bool interrupted, default_of_baseline; /* the second: while the search goes on */
	struct loop_failure failures[RESULT_STATUS_COUNT]; /* the first of each status */
	struct tally tally;                                /* of all trials */
	char *default_failure; /* the first of a default configuration, "failed: STATUS: REASON",
				 heap, or NULL */
};

void loop_summary_init(struct loop_summary *s);
void loop_summary_fini(struct loop_summary *s);

enum { LOOP_TIME_PARTS = PHASE_COUNT + 8 };

/* Parts of a run's time. Compilers run side by side; the parts behind theirs, which is the first,
 * add up to the whole. Returns their number. */
size_t loop_summary_time_parts(const struct loop_summary *sum, const char *names[LOOP_TIME_PARTS],
			       double ns[LOOP_TIME_PARTS]);

/* Places the best beside what is attainable; false: that is not known. */
bool loop_summary_place_best(const struct loop_summary *sum, struct roofline *r);

/* ---- the running sums ---- */

void loop_summary_begin(struct loop_summary *s, const struct loop_options *o,
			const struct binding *b, const struct impl_searches *searches);

/* Counts the samples of a result of this run. */
void loop_steadiness_add(struct loop_steadiness *s, const struct result *r);

/* Notes which of several devices measured the next trial that is recorded. */
enum asc_status loop_steadiness_add_device(struct loop_steadiness *s, size_t device,
					   struct asc_err *e);

/* Counts a result, with its score by the policy; true: it is the best so far. */
bool loop_summary_add(struct loop_summary *s, const struct impl_search *search, uint64_t index,
		      const struct config *c, const struct result *r, double score);

/* Takes the times of a counted result out again: they passed on another device, beside those of the
 * run's own, which add up to the run's. */
void loop_summary_leave_out_times(struct loop_summary *s, const struct result *r);

bool loop_summary_is_best(const struct loop_summary *s, const struct impl_search *search,
			  const struct config *c);
void loop_summary_set_best(struct loop_summary *s, const struct impl_search *search,
			   const struct config *c, const struct result *r, double score);

/* A result that was counted as `before` is `r` now. RESULT_STATUS_COUNT: it was not counted, being
 * of an earlier run, and is a trial of this one now. */
void loop_summary_change(struct loop_summary *s, const struct impl_search *search,
			 const struct config *c, enum result_status before, const struct result *r);

#endif
