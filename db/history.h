/* The history of results, for tracking: what each run measured, what came and went, which changes
 * somebody has acknowledged, and what measuring them again said. Strings are borrowed during a
 * visit. */
#ifndef ASCTUNE_DB_HISTORY_H
#define ASCTUNE_DB_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_night { /* the best of one implementation in one run */
	const char *device_kind, *device_model, *workload, *problem, *cache_policy, *implementation;
	const char *fingerprint, *driver, *arch, *clock; /* of the device, in this run */
	const char *problem_key, *implementation_key;    /* content: source and tool chain */
	const char *toolchain;                           /* what built it; NULL: not recorded */
	const char *machine; /* which of several of that model, NULL: there is but one, or nothing
				tells */
	const char *version; /* of asctune */
	const char *config_key; /* of the fastest configuration */
	int64_t run_id, started_ms;
	int64_t trial_id; /* of that configuration in this run; 0: it was measured in an earlier one
			   */
	double median_ns; /* in the finals, where it took part; NaN: none can be told */
	double clock_mhz; /* at which that was measured; NaN: unknown */
	bool unsteady;    /* more than 5 % of the run's samples were disturbed */
	int64_t passed, failed; /* configurations of the implementation in this run, by the newest
				   that the run has of each */
};

typedef enum asc_status db_night_fn(void *user, const struct db_night *n, struct asc_err *e);

/* Every implementation that a run tried (not simulated), by device, workload, problem, cache
 * policy and implementation, then by time. Runs that did not come to their end are left out: what
 * is the best of a part cannot be compared. Not to be nested. */
enum asc_status db_each_night(struct db *d, db_night_fn *visit, void *user, struct asc_err *e);

struct db_tried {           /* one configuration in one run */
	const char *status; /* of its trial, static; NULL: it was not tried */
	double median_ns;   /* where that is "ok" */
	char artifact[33];  /* content key, "": none was built, or it is not known */
};

enum asc_status db_find_tried(struct db *d, int64_t run_id, const char *implementation,
			      const char *config_key, struct db_tried *out, struct asc_err *e);

/* What withdrew a configuration that passed in a run: the status of its newest trial, static; NULL:
 * nothing did. */
enum asc_status db_find_withdrawal(struct db *d, int64_t run_id, const char *implementation,
				   const char *config_key, const char **status, struct asc_err *e);

struct db_failure {                  /* what became of so many configurations */
	const char *status, *reason; /* reason: of one of them, may be NULL */
	int64_t configurations;
};

typedef enum asc_status db_failure_fn(void *user, const struct db_failure *f, struct asc_err *e);

/* How the configurations of an implementation failed in a run, the commonest way first. */
enum asc_status db_each_failure(struct db *d, int64_t run_id, const char *implementation,
				db_failure_fn *visit, void *user, struct asc_err *e);

struct db_turn { /* what passed in the run before and now does not, or the other way round */
	const char *device_kind, *device_model, *workload, *problem, *cache_policy, *implementation;
	const char *config_key; /* NULL: the implementation as a whole */
	const char *was, *is;   /* status of a configuration's trial; of an implementation
				   "measured", "failed", "not run" */
	const char *reason;     /* of the newest trial, may be NULL */
};

typedef enum asc_status db_turn_fn(void *user, const struct db_turn *t, struct asc_err *e);

/* The newest run of each problem on a device against the one before, where both tried the same;
 * only runs that came to their end. Being dropped as slow is no turn: it passes too. */
enum asc_status db_each_turn(struct db *d, db_turn_fn *visit, void *user, struct asc_err *e);

struct db_figure { /* a metric of two trials */
	const char *probe, *name, *unit;
	double before, after;
};

typedef enum asc_status db_figure_fn(void *user, const struct db_figure *f, struct asc_err *e);

enum asc_status db_each_figure(struct db *d, int64_t before_trial, int64_t after_trial,
			       db_figure_fn *visit, void *user, struct asc_err *e);

struct db_metric { /* one of a trial; probe "build", name "ns": the time of its compiler */
	const char *probe, *name;
	double value;
};

typedef enum asc_status db_metric_fn(void *user, const struct db_metric *m, struct asc_err *e);
enum asc_status db_each_metric(struct db *d, int64_t trial_id, db_metric_fn *visit, void *user,
			       struct asc_err *e);

struct db_acknowledgement {
	const char *series, *reason, *who; /* series: its name as `asctune track` prints it */
	int64_t since_ms;                  /* start of the first run behind the change */
	int64_t made_ms, until_ms;
};

enum asc_status db_acknowledge(struct db *d, const struct db_acknowledgement *a, struct asc_err *e);

/* Forgets those of a series; *n: so many. */
enum asc_status db_forget_acknowledgements(struct db *d, const char *series, int64_t *n,
					   struct asc_err *e);

typedef enum asc_status db_acknowledgement_fn(void *user, const struct db_acknowledgement *a,
					      struct asc_err *e);
enum asc_status db_each_acknowledgement(struct db *d, db_acknowledgement_fn *visit, void *user,
					struct asc_err *e);

/* What is recorded of a problem on a kind of device. */
struct db_run_state {
	int64_t run_id; /* 0: nothing */
	int64_t trials, ok_trials;
	char outcome[64]; /* "done", "interrupted", ...; "": it was killed, or goes on */
};

/* Of its newest run that came to its end, else of its newest run; not simulated, nor of a single
 * configuration (`run --config`). */
enum asc_status db_find_run_state(struct db *d, const char *device_kind, const char *workload,
				  const char *problem, struct db_run_state *out, struct asc_err *e);

struct db_verdict { /* what measuring again said of one change of one figure of a history */
	const char *implementation, *figure; /* figure: "time_ns", or the name of a metric */
	const char *kind, *note;             /* note: text for people */
	int64_t run_id; /* the first run behind the change: its device, problem and cache policy */
	int64_t made_ms;
	double ratio; /* after / before; NaN: not known */
};

/* Takes the place of an earlier one of the same change. */
enum asc_status db_put_verdict(struct db *d, const struct db_verdict *v, struct asc_err *e);

typedef enum asc_status db_verdict_fn(void *user, const struct db_verdict *v, struct asc_err *e);
enum asc_status db_each_verdict(struct db *d, db_verdict_fn *visit, void *user, struct asc_err *e);

#endif
