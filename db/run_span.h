/* Questions about when runs built and measured their trials. Strings are borrowed during a visit.
 * Times are nanoseconds since the run began. */
#ifndef ASCTUNE_DB_RUN_SPAN_H
#define ASCTUNE_DB_RUN_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct db;

struct db_spanned_run {
	int64_t id, started_ms; /* start, ms since 1970 */
	const char *workload, *problem, *device_kind, *device_model, *cache_policy;
	const char *chosen_implementation, *chosen_config_key; /* in its finals; NULL: none */
	bool has_finals;
	int64_t finals_begin_ns, finals_ns, finalists;
};

/* Visits, by their start, the runs with times of this kind: run `run_id`, or, for 0, the newest of
 * each workload, problem, device and cache policy. */
typedef enum asc_status db_spanned_run_fn(void *user, const struct db_spanned_run *r,
					  struct asc_err *e);
enum asc_status db_each_spanned_run(struct db *d, int64_t run_id, bool simulated,
				    db_spanned_run_fn *visit, void *user, struct asc_err *e);

struct db_spanned_trial {
	int64_t id;
	const char *implementation, *config_key, *status;
	bool worked;      /* a worker took it up */
	int64_t begin_ns; /* when it did; its phases follow one another */
	int64_t spent_ns[PHASE_COUNT];
	const int64_t *builds; /* begin and end of each compiler's command */
	size_t n_builds;
};

/* Visits the trials of a run that were built or measured in it, in the order of recording. May be
 * called within a visit of db_each_spanned_run(). */
typedef enum asc_status db_spanned_trial_fn(void *user, const struct db_spanned_trial *t,
					    struct asc_err *e);
enum asc_status db_each_spanned_trial(struct db *d, int64_t run_id, db_spanned_trial_fn *visit,
				      void *user, struct asc_err *e);

#endif
