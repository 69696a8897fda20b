/* Every history that the database holds: one series for each device model, workload, problem, cache
 * policy and implementation, a point for each run, the value the time of its best configuration;
 * and one for each tracked metric that was recorded of it.
 *
 * Drivers, clocks and fingerprints are events within a series, so that a jump can be laid at their
 * door; two machines of one model, where they are known apart, have series of their own. Runs whose
 * samples were disturbed are left out where most were not. A problem whose content changed begins a
 * new history. Owned by the caller: track_history_free(). */
#ifndef ASCTUNE_TRACK_TRACK_HISTORY_H
#define ASCTUNE_TRACK_TRACK_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_series.h"
#include "tuner/base/arena.h"
#include "tuner/base/err.h"

struct track_history;
struct db;

struct track_point {
	const char *config, *fingerprint, *driver, *arch, *clock, *code, *toolchain, *version;
	const char *commit; /* of the workload's folder: 12 digits, and " with changes" if it
			       was not clean; "": unknown */
	int64_t run_id, trial_id, started_ms;
	double ns, clock_mhz; /* clock_mhz NaN: unknown */
	double value;         /* of the series */
	const char *won; /* configuration that the search of that run found faster; NULL: none */
	double gain;     /* its time as a part of that of `config`, in the same rounds */
	bool unsteady;
	bool of_gate; /* a side of a gate: measured in the same rounds as the other one, and a point
			 of no history */
};

struct track_history {
	struct track_series *list;  /* series of times, then those of tracked metrics */
	size_t n, n_all;            /* number of series of times; of all */
	struct track_point *points; /* of series k: from first[k] on */
	double *values;
	size_t *first;
	size_t n_points;
	int64_t newest_ms;  /* start of the newest run that tried a series of times */
	struct arena texts; /* that the others borrow */
};

struct track_choice {                /* runs that are read; zeroed: all */
	int64_t first_run, last_run; /* numbers of the runs; 0 and 0: any that is a search */
	int64_t from_ms, until_ms; /* bounds of its start, from_ms <= start < until_ms; 0 and 0: any
				    */
	const char *device;        /* model of its device; NULL: any */
};

/* Reads, for each of `n` choices, the series of times of the chosen runs, noisy ones among them,
 * unjudged: without metrics, changes and causes. None is no failure. All in one pass over the
 * trials. */
enum asc_status track_history_read(struct db *d, const struct track_choice *which, size_t n,
				   struct track_history **out, struct asc_err *e);

/* Makes each series that of its configuration on record: the first one that won, until finals show
 * that another one is faster, which is on record from the next run on; earlier values are then
 * multiplied by the least that it gained in the same rounds, so that a search that finds more is no
 * change of the kernel, nor a gain that was luck a slow-down later. A run without finals in which
 * the one on record passed has the time of what won, which is on record from there on. */
enum asc_status track_history_follow(struct track_history *h, struct db *d, struct asc_err *e);

/* Judges series of times that were read: finds their changes and how far their points scatter,
 * without metrics, causes and acknowledgements. Noisy runs are left out. */
enum asc_status track_history_judge(struct track_history *h, const struct track_rule *rule,
				    struct asc_err *e);

/* The two steps of track_history_judge(): leave out noisy runs; judge the points that were kept.
 * track_history_open() adds metrics between the two steps, from the points that were kept. */
void track_history_drop_unsteady(struct track_history *h);
enum asc_status track_history_judge_kept(struct track_history *h, const struct track_rule *rule,
					 struct asc_err *e);

/* Reads, judges, controls and explains all series. ASC_ABSENT without any. */
enum asc_status track_history_open(struct db *d, const char *path, const struct track_rule *rule,
				   struct track_history **out, struct asc_err *e);
void track_history_free(struct track_history *h);

/* Name of a device in a series: heap string, NULL when out of memory. `model` may be NULL; so may
 * `machine`, and it is where there is only one of that model. */
char *track_history_device(const char *kind, const char *model, const char *machine);

struct track_kernel { /* what is tuned; `device_kind` to `cache` may be NULL as in the database */
	const char *device_kind, *device_model;
	const char *machine; /* NULL: any, or the only one */
	const char *workload, *problem, *cache;
	const char *implementation; /* the one that is asked for first; NULL: none */
};

/* True for a series of times of that kernel, whichever its implementation. */
bool track_kernel_has(const struct track_kernel *k, const struct track_series *s);

/* Finds a series of a kernel whose verdict fails, acknowledged or not: that of its implementation
 * before others that are counted; NULL: none. */
const struct track_series *track_history_find_failing(const struct track_history *h,
						      const struct track_kernel *k);

/* Number of implementations of the kernel that are broken, and whose newest run is this one. */
size_t track_history_count_broken(const struct track_history *h, const struct track_kernel *k,
				  int64_t run);

const struct track_point *track_history_points(const struct track_history *h, size_t series);

/* Appends the histories of tracked metrics (result/tracked_metric), one series for each metric of
 * each history of times, over its newest points, where the metric was recorded, to the history's
 * list, after the series of times; not judged yet. */
enum asc_status track_metrics_add(struct track_history *h, struct db *d, struct asc_err *e);

#endif
