/* Questions of tracking: rows of all runs, configurations that began to pass or to fail,
 * acknowledgements, and verdicts of measuring again. Strings are borrowed during a visit. */
#ifndef ASCTUNE_DB_HISTORY_H
#define ASCTUNE_DB_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;
struct statement;

/* Rows of histories, as they were recorded: reports/results/run_outcome.h decides what the point of
 * a run is. Each function begins a statement for the caller to step; its columns are listed with
 * it, in the order in which they are taken. Not to be nested. */

/* Searches that ended, none of them simulated: the best of a part of a space cannot be compared.
 * Those of one place, which is a device, workload, problem and cache policy, lie together, in no
 * order. number of the place, in the order of these texts; run, ms of its start; kind and model of
 * the device, machine (NULL: the only one known of its model), workload, problem, cache policy;
 * fingerprint, driver, architecture and clock of the device as this run saw it, version of asctune,
 * commit of the workload's folder (its first 12 digits, and " with changes" if that was not clean;
 * NULL: unknown), whether more than 5 % of its samples were disturbed, key of the problem, baseline
 * (NULL: none), the step in % that the workload's "track" asks to see (0: none) */
void history_load_runs(struct statement *s, struct db *d);

/* implementation, its name, key of source and toolchain, toolchain (NULL: not recorded) */
void history_load_implementations(struct statement *s, struct db *d);

/* Outcomes of runs that the database keeps, which are those of run_outcome.h, but for stale
 * subjects (answer_rows.h). device, problem, run, implementation, key of the configuration (NULL:
 * nothing passed), trial (0: of an earlier run), ns, clock in MHz, numbers of configurations that
 * passed and failed */
void history_load_outcomes(struct statement *s, struct db *d);

/* Trials of all runs, of those of one device and problem but sides of gates, or of these alone,
 * whose outcomes are not kept; the newest first. run, implementation,
 * trial, hash and key of the configuration, status, median ns, clock in MHz */
void history_load_trials(struct statement *s, struct db *d);
void history_load_trials_of(struct statement *s, struct db *d, int64_t device_id,
			    int64_t problem_id);
void history_load_trials_of_gates(struct statement *s, struct db *d);

/* Trials of all runs before losers were removed (db/prune.h), or of those of one device and problem
 * as load_tried() has them. run, implementation, status, number */
void history_load_counts(struct statement *s, struct db *d);

/* Finalists of the same runs, in no order. run, implementation, hash and key of the configuration,
 * winner, median ns, clock in MHz */
void history_load_finals(struct statement *s, struct db *d);
void history_load_finals_of(struct statement *s, struct db *d, int64_t device_id,
			    int64_t problem_id);

/* Trials of one run, those of a configuration together, the newest first. name of the
 * implementation, key of the configuration, status, reason (may be NULL) */
void history_load_run_trials(struct statement *s, struct db *d, int64_t run_id);

/* Implementations that took part in a run, also with results of an earlier run only. name */
void history_load_participants(struct statement *s, struct db *d, int64_t run_id);

/* Trials that can withdraw a configuration of an implementation, as it was in a run, on the device
 * and problem of that run, the newest first: its failures by reports/results/answers.h.
 * implementation, trial, ms of its time, status */
void history_load_failures(struct statement *s, struct db *d, int64_t run_id,
			   const char *implementation, const char *config_key);

/* The newest trial of that configuration that passed; no row: none has. trial, ms of its time */
void history_load_newest_pass(struct statement *s, struct db *d, int64_t run_id,
			      int64_t implementation_id, const char *config_key);

struct db_tried {           /* one configuration in one run */
	const char *status; /* status of the configuration's trial, static; NULL: not tried */
	double median_ns;   /* time where status is "ok" */
	char artifact[33];  /* content key of the artifact; "": not built, or unknown */
	char reason[160];   /* first bytes of the reason of its status; "": none */
};

enum asc_status db_find_tried(struct db *d, int64_t run_id, const char *implementation,
			      const char *config_key, struct db_tried *out, struct asc_err *e);

struct db_beside {                   /* a configuration beside another one in the finals of a run */
	bool found;                  /* both stood there, and it has not failed in that run */
	int64_t trial_id;            /* its newest trial in that run that passed; 0: none */
	double median_ns, clock_mhz; /* clock NaN: unknown */
	double gain;                 /* time of the other one as a part of its own */
	double least_gain;           /* the same, by the end of the interval that gains least */
	bool slower;                 /* slower than that, surely */
};

/* Finds a configuration of an implementation beside the one that won of it, `other`, in the finals
 * of a run. */
enum asc_status db_find_beside(struct db *d, int64_t run_id, const char *implementation,
			       const char *config_key, const char *other, struct db_beside *out,
			       struct asc_err *e);

struct db_failure {                  /* a status and the number of configurations with it */
	const char *status, *reason; /* reason: that of one of these configurations, may be NULL */
	const char *config_key;      /* that configuration */
	int64_t configurations;
};

typedef enum asc_status db_failure_fn(void *user, const struct db_failure *f, struct asc_err *e);

/* Visits the failures of the configurations of an implementation in a run, the most frequent status
 * first. */
enum asc_status db_each_failure(struct db *d, int64_t run_id, const char *implementation,
				db_failure_fn *visit, void *user, struct asc_err *e);

struct db_metric_change { /* a metric in two trials, or a reading in two profiles */
	const char *probe, *name, *unit;
	double before, after;
};

typedef enum asc_status db_metric_change_fn(void *user, const struct db_metric_change *f,
					    struct asc_err *e);

enum asc_status db_each_metric_change(struct db *d, int64_t before_trial, int64_t after_trial,
				      db_metric_change_fn *visit, void *user, struct asc_err *e);

struct db_profiled { /* a profile: of a configuration in a run; borrowed */
	int64_t run_id;
	const char *config_key;
};

/* Visits the readings of a whole launch that two profiles of an implementation both have. */
enum asc_status db_each_reading_change(struct db *d, const char *implementation,
				       const struct db_profiled *before,
				       const struct db_profiled *after, db_metric_change_fn *visit,
				       void *user, struct asc_err *e);

struct db_metric { /* a metric of a trial; probe "build", name "ns": the time of its compiler;
		      probe "energy", name "energy_j": of its profile */
	const char *probe, *name;
	double value;
};

typedef enum asc_status db_metric_fn(void *user, const struct db_metric *m, struct asc_err *e);
enum asc_status db_each_metric(struct db *d, int64_t trial_id, db_metric_fn *visit, void *user,
			       struct asc_err *e);

struct db_acknowledgement {
	const char *series, *reason, *who; /* series: name as `asctune track` prints it */
	int64_t since_ms;                  /* start of the first run behind the change */
	int64_t made_ms, until_ms;
};

enum asc_status db_acknowledge(struct db *d, const struct db_acknowledgement *a, struct asc_err *e);

/* Removes the acknowledgements of a series; *n is their number. */
enum asc_status db_forget_acknowledgements(struct db *d, const char *series, int64_t *n,
					   struct asc_err *e);

typedef enum asc_status db_acknowledgement_fn(void *user, const struct db_acknowledgement *a,
					      struct asc_err *e);
enum asc_status db_each_acknowledgement(struct db *d, db_acknowledgement_fn *visit, void *user,
					struct asc_err *e);

/* State of a problem on a kind of device. */
struct db_run_state {
	int64_t run_id; /* identifier of the run; 0: none recorded */
	int64_t trials, ok_trials;
	int64_t history;  /* number of earlier results that its search began with */
	char outcome[64]; /* "done", "interrupted", ...; "": it was killed, or goes on */
};

/* Finds the newest run of a problem that ended, else the newest, on devices or on stand-ins
 * (`simulated`); not imported, nor of a single configuration (`run --config`). */
enum asc_status db_find_run_state(struct db *d, const char *device_kind, bool simulated,
				  const char *workload, const char *problem,
				  struct db_run_state *out, struct asc_err *e);

/* Time that the search of a problem takes on a model of device. */
struct db_run_time {
	int64_t took_ms;   /* of the newest whole one; 0: there is none */
	char begun_on[64]; /* fingerprint of the device of the newest one, which is not whole; "":
			      it is, or there is none */
};

/* Finds that of runs on record, on stand-ins too, of a model or (NULL) of any of the kind; nothing
 * of single configurations. */
enum asc_status db_find_run_time(struct db *d, const char *device_kind, const char *device_model,
				 const char *workload, const char *problem, struct db_run_time *out,
				 struct asc_err *e);

struct db_verdict { /* result of re-measuring one change of one metric of a history */
	const char *implementation, *figure; /* figure: "time_ns" or a tracked metric */
	const char *kind, *note;             /* note: text for people */
	int64_t run_id; /* first run after the change, which names device, problem and cache policy
			 */
	int64_t made_ms;
	int64_t started_ms;    /* start of that run; of a verdict that is read */
	const char *yields_to; /* kind of an earlier verdict that stays in place of this one; NULL:
				  none does */
	double ratio;          /* after / before; NaN: not known */
};

/* Records a verdict; replaces an earlier one of the same change. */
enum asc_status db_put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e);

typedef enum asc_status db_verdict_fn(void *user, const struct db_verdict *v, struct asc_err *e);
enum asc_status db_each_verdict(struct db *d, db_verdict_fn *visit, void *user, struct asc_err *e);

#endif
