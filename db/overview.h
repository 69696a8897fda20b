/* Overview of a results database, for reports. Strings are borrowed during a visit. */
#ifndef ASCTUNE_DB_OVERVIEW_H
#define ASCTUNE_DB_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_overview {
	int64_t runs, trials, ok_trials;     /* measured runs and trials */
	int64_t imported_runs, standin_runs; /* simulated runs, not counted above: imported, and on
						stand-ins of devices */
	int64_t first_ms, last_ms;           /* start of the first and the newest measured run */
};

enum asc_status db_find_overview(struct db *d, struct db_overview *out, struct asc_err *e);

struct db_environment { /* a device with one driver, and the version of asctune that measured on it
			 */
	const char *device_kind, *device_model, *arch, *driver, *clock, *fingerprint, *version;
	int64_t runs, first_ms, last_ms;
};

typedef enum asc_status db_environment_fn(void *user, const struct db_environment *v,
					  struct asc_err *e);

/* Visits environments of measured runs, newest first. */
enum asc_status db_each_environment(struct db *d, db_environment_fn *visit, void *user,
				    struct asc_err *e);

struct db_unmeasured { /* an implementation of which the newest run of a problem measured nothing */
	const char *device_kind, *device_model, *workload, *problem, *cache_policy, *implementation;
	const char *outcome;         /* outcome of the run; NULL: not ended, or killed */
	const char *status, *reason; /* status and reason of the newest trial; NULL: none */
	int64_t trials, started_ms;  /* trials: configurations tried */
	bool broken; /* broken: the run ended, configurations failed and none passed */
};

typedef enum asc_status db_unmeasured_fn(void *user, const struct db_unmeasured *s,
					 struct asc_err *e);

/* Visits implementations that took part in the newest run of a problem on a device (not one of a
 * single configuration, `run --config`) and have no configuration there whose newest trial is ok.
 * An implementation whose results were all resumed is left out. */
enum asc_status db_each_unmeasured(struct db *d, db_unmeasured_fn *visit, void *user,
				   struct asc_err *e);

#endif
