/* Runs that other processes are making, as the database shows them: what each is, and what has been
 * recorded since one looked. Strings are borrowed during a visit; texts may be NULL. */
#ifndef ASCTUNE_DB_WATCH_H
#define ASCTUNE_DB_WATCH_H

#include <stdint.h>

#include "tuner/base/err.h"

struct db;

/* Changes when the file may have (size, time, place of it and of its log); 0: there is none. What
 * is recorded within one tick of the clock, some ms, may hide behind what was recorded before. */
uint64_t db_find_mark(const char *path);

struct db_news { /* a trial */
	int64_t id, run_id, recorded_ms;
	const char *status;
};

typedef enum asc_status db_news_fn(void *user, const struct db_news *n, struct asc_err *e);

/* Trials (not simulated) whose identifiers are above `after`, in their order. Not to be nested. */
enum asc_status db_each_news(struct db *d, int64_t after, db_news_fn *visit, void *user,
			     struct asc_err *e);

/* The highest identifier of a trial, simulated or not; 0: there is none. */
enum asc_status db_find_newest(struct db *d, int64_t *id, struct asc_err *e);

struct db_going {
	int64_t run_id, started_ms, ended_ms; /* 0: it has not ended, or was killed */
	const char *workload, *problem, *device_kind, *device_model, *budget, *outcome;
	/* Winner of its finals, else its fastest ok trial, of what was not withdrawn; NULL: none.
	 */
	const char *implementation, *config_key;
	double median_ns;
};

typedef enum asc_status db_going_fn(void *user, const struct db_going *r, struct asc_err *e);

/* The `most` newest runs (not simulated) of one workload (NULL: of all), newest first. Not to be
 * nested. */
enum asc_status db_each_going(struct db *d, const char *workload, int64_t most, db_going_fn *visit,
			      void *user, struct asc_err *e);

#endif
