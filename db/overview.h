/* What a results database holds as a whole, for reports. Strings are borrowed during a visit. */
#ifndef ASCTUNE_DB_OVERVIEW_H
#define ASCTUNE_DB_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_overview {
	int64_t runs, trials, ok_trials; /* measured */
	int64_t simulated_runs;          /* imported ones, too */
	int64_t first_ms, last_ms;       /* start of the first and the newest measured run */
};

enum asc_status db_find_overview(struct db *d, struct db_overview *out, struct asc_err *e);

struct db_environment { /* a device in one state, and the asctune that measured on it */
	const char *device_kind, *device_model, *arch, *driver, *clock, *fingerprint, *version;
	int64_t runs, first_ms, last_ms;
};

typedef enum asc_status db_environment_fn(void *user, const struct db_environment *v,
					  struct asc_err *e);

/* Of measured runs, the newest first. */
enum asc_status db_each_environment(struct db *d, db_environment_fn *visit, void *user,
				    struct asc_err *e);

struct db_silent { /* what the newest run of a problem measured nothing of */
	const char *device_kind, *device_model, *workload, *problem, *cache_policy, *implementation;
	const char *outcome;         /* of the run; NULL: it has not ended, or was killed */
	const char *status, *reason; /* of its newest trial; NULL: there was none */
	int64_t trials, started_ms;  /* trials: configurations that were tried */
	bool broken; /* the run came to its end, and configurations failed, none passed */
};

typedef enum asc_status db_silent_fn(void *user, const struct db_silent *s, struct asc_err *e);

/* Implementations that took part in the newest run of a problem on a device, not one of a single
 * configuration (`run --config`), and have no configuration there whose newest trial is ok. One
 * that was resumed whole has none and is no such case. */
enum asc_status db_each_silent(struct db *d, db_silent_fn *visit, void *user, struct asc_err *e);

#endif
