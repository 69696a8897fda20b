/* Finding of a run on an implementation: the configuration and the time that are its point in a
 * history.
 *
 * A history shows what each run had found when it ended, so only trials and finals of that run
 * count, and later runs change nothing. That is why failures weigh otherwise than in answers.h,
 * where a best stands until a run of any time finds it wrong: within a run each failure ends what
 * the same configuration had shown before, also one of the build or of the launch, because the run
 * itself could not repeat it.
 *
 * Rows are added one by one, without a database; texts and entries are copied to the storage, which
 * outlives the outcomes. Pure but for that. */
#ifndef ASCTUNE_RESULTS_RUN_OUTCOME_H
#define ASCTUNE_RESULTS_RUN_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"
#include "tuner/base/intern.h"
#include "tuner/result/result.h"

struct outcome_trial {
	int64_t id, config_hash;
	const char *config_key;
	enum result_status status;   /* RESULT_STATUS_COUNT: of an unknown name */
	double median_ns, clock_mhz; /* NaN: not known */
};

struct outcome_final {
	struct outcome_final *next;
	int64_t config_hash;
	const char *config_key;
	bool winner;
	double median_ns, clock_mhz; /* NaN: not known */
	/* Found as trials are added. */
	bool tried;       /* it has a trial in this run */
	bool failed;      /* its newest trial there failed */
	int64_t trial_id; /* its oldest trial that passed, and did not fail later; 0: none */
};

struct run_outcome {
	struct outcome_final *finals;
	bool tried;             /* it has a trial in this run; else the run says nothing of it */
	bool counted;           /* passed and failed are known, since some of the trials are gone */
	int64_t passed, failed; /* trials that no later failure of the same configuration ends */
	const char *config_key; /* NULL: nothing passed with a time */
	int64_t trial_id;       /* its trial in this run; 0: measured in an earlier run */
	double ns, clock_mhz;   /* NaN: not known */
};

struct outcome_failure;

struct outcome_storage { /* zeroed before use; the caller's to outcome_storage_fini() */
	struct arena arena;
	struct intern failed; /* of `failures`: configurations that failed, by outcome */
	struct outcome_failure *failures;
	size_t n_failures, room;
};

void outcome_storage_fini(struct outcome_storage *s);

void run_outcome_init(struct run_outcome *o);

/* Adds a finalist. All are added before the first trial. ASC_NOMEM only. */
enum asc_status run_outcome_add_final(struct run_outcome *o, const struct outcome_final *f,
				      struct outcome_storage *s, struct asc_err *e);

/* Adds how many trials with a status the run had before `prune` removed some: before the first
 * trial, which then counts no more. */
void run_outcome_add_count(struct run_outcome *o, enum result_status status, int64_t n);

/* Adds a trial of the run: the newest first. ASC_NOMEM only. */
enum asc_status run_outcome_add_trial(struct run_outcome *o, const struct outcome_trial *t,
				      struct outcome_storage *s, struct asc_err *e);

/* Decides between trials and finals, after the last trial. */
void run_outcome_decide(struct run_outcome *o);

#endif
