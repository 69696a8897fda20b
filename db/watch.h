/* Runs under way in other processes, as the database shows them: each run, and its results since an
 * earlier look. Strings are borrowed during a visit; texts may be NULL. */
#ifndef ASCTUNE_DB_WATCH_H
#define ASCTUNE_DB_WATCH_H

#include <stdint.h>

#include "tuner/base/err.h"

struct db;

/* State of the file: changes when the file may have (size, time, place of it and of its log); 0: no
 * file. A record within the same tick of the clock (some ms) as an earlier one may be missed. */
uint64_t db_find_mark(const char *path);

struct db_news { /* a trial */
	int64_t id, run_id, recorded_ms;
	const char *status;
};

typedef enum asc_status db_news_fn(void *user, const struct db_news *n, struct asc_err *e);

/* Visits trials (not simulated) with identifiers above `after`, in their order. Not to be nested.
 */
enum asc_status db_each_news(struct db *d, int64_t after, db_news_fn *visit, void *user,
			     struct asc_err *e);

/* Highest identifier of a trial, simulated or not; 0: none. */
enum asc_status db_find_newest(struct db *d, int64_t *id, struct asc_err *e);

struct db_going {
	int64_t run_id, started_ms, ended_ms; /* end; 0: not ended, or killed */
	const char *workload, *problem, *device_kind, *device_model, *budget, *outcome;
	/* Configuration that the run has chosen so far, and its time; set by today_each_going(),
	 * else NULL. */
	const char *implementation, *config_key;
	double median_ns;
};

typedef enum asc_status db_going_fn(void *user, const struct db_going *r, struct asc_err *e);

/* Visits the `most` newest runs (not simulated) of one workload (NULL: of all), newest first. Not
 * to be nested. */
enum asc_status db_each_going(struct db *d, const char *workload, int64_t most, db_going_fn *visit,
			      void *user, struct asc_err *e);

#endif
