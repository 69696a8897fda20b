/* Answers to what is best, as the database keeps them: one for each device, problem and cache
 * policy, and one for each implementation of these. reports/results works them out. */
#ifndef ASCTUNE_DB_ANSWER_ROWS_H
#define ASCTUNE_DB_ANSWER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct statement;

struct answer_row { /* texts are borrowed */
	int64_t device_id, problem_id;
	const char *cache_policy; /* may be NULL */
	int64_t simulated;
	int64_t own; /* row of the implementation that it is the best of; 0: of all */
	int64_t implementation_id;
	bool failed; /* nothing passes any more: what passed last */
	int64_t trial_id;
	int64_t final_run_id; /* run whose finals decide; 0: none were held */
	const char *sure;     /* name of enum sure in databases (result/tie.h) */
	double noise_pct;     /* noise_pct and n_ties as in struct sureness */
	int64_t n_ties;
	const char *ties_json; /* finalists that may be as fast, the answer first: [[implementation,
				  hash of the configuration], ...] */
	double default_ns, vs_default; /* default_ns NaN: not measured */
	const char *default_key;       /* may be NULL */
	const char *baselines_json;    /* as tuner/result/baselines.h writes them */
	int64_t trials, ok_trials;
	int64_t newest; /* time and number of the newest run: what is later is greater */
};

/* Begins a statement for the kept answers of a workload, or (NULL) of all: answer_rows_take(), then
 * workload, problem, key of the problem, kind, model, fingerprint, machine (NULL: the only one
 * known of its model), implementation. Names of rows that are not there are NULL. */
void answer_rows_begin(struct statement *s, struct db *d, const char *workload);

/* Begins that statement for one device and problem. */
void answer_rows_begin_of(struct statement *s, struct db *d, int64_t device_id, int64_t problem_id);

/* Takes the columns of an answer. */
void answer_rows_take(struct statement *s, struct answer_row *out);

/* Begins a statement for the devices and problems whose kept answers are stale, since their results
 * have changed, of a workload or (NULL) of all: device, problem. */
void answer_rows_begin_stale(struct statement *s, struct db *d, const char *workload);

/* Begins a statement that has a row where one device and problem is stale. */
void answer_rows_begin_stale_of(struct statement *s, struct db *d, int64_t device_id,
				int64_t problem_id);

struct outcome_row { /* what a run found of an implementation; the text is borrowed */
	int64_t run_id, implementation_id;
	const char *config_key; /* NULL: nothing passed with a time */
	int64_t trial_id;       /* 0: measured in an earlier run */
	double ns, clock_mhz;   /* NaN: not known */
	int64_t passed, failed; /* numbers of configurations */
};

/* Replaces the outcomes of a device and problem, before answer_rows_replace() in its transaction.
 */
enum asc_status outcome_rows_replace(struct db *d, int64_t device_id, int64_t problem_id,
				     const struct outcome_row *rows, size_t n, struct asc_err *e);

/* Replaces the answers of a device and problem, which are then no longer stale: in the transaction
 * (db_begin_batch) in which their results were read. */
enum asc_status answer_rows_replace(struct db *d, int64_t device_id, int64_t problem_id,
				    const struct answer_row *const *rows, size_t n,
				    struct asc_err *e);

#endif
