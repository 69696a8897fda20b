/* The results database: one SQLite file, opened, migrated, recorded to and asked.
 *
 * Every recorded result is a transaction of its own (WAL, synchronous NORMAL, FULL when durable;
 * journal DELETE on network file systems, said once). All SQL lives in db/. Errors name the file:
 * ASC_NEWER for a newer schema, ASC_BUSY when locked beyond the busy timeout, ASC_FULL for a full
 * disk, ASC_IO for a file that cannot be read or written, ASC_INPUT for one that is no database or
 * another program's. A handle is used by one thread; processes and handles may share a file. */
#ifndef ASCTUNE_DB_DB_H
#define ASCTUNE_DB_DB_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"
#include "tuner/model/result.h"
#include "tuner/model/tie.h"

struct buf;
struct db;
struct peaks;

enum db_mode { DB_READ, DB_GLANCE, DB_READ_ANY, DB_WRITE, DB_WRITE_DURABLE };

/* DB_READ never makes or changes a file: ASC_NOTFOUND when there is none; it reads from read-only
 * folders too. DB_GLANCE is the same for those who will look again: it waits for a lock only 0.2 s.
 * DB_READ_ANY reads files of an older schema as well, in a copy that vanishes when it is closed.
 * The other modes make the file and bring an older schema up to date. Another process
 * may hold the lock for 10 s, or for as many milliseconds as ASCTUNE_BUSY_TIMEOUT_MS says (slow
 * file systems, tests). */
enum asc_status db_open(const char *path, enum db_mode mode, struct db **out, struct asc_err *e);
void db_close(struct db *d);

/* From now on databases that are recorded to and stay locked are waited for, which is said when it
 * takes long, until *stop is not 0. */
void db_wait_until(const volatile sig_atomic_t *stop);

/* ---- recording ---- */

/* What is recorded between the two is one transaction: kept when `status` is ASC_OK, else nothing
 * of it. Returns the first failure. Not to be called again in between. */
enum asc_status db_begin_batch(struct db *d, struct asc_err *e);
enum asc_status db_end_batch(struct db *d, enum asc_status status, struct asc_err *e);

struct db_device { /* strings borrowed during the call */
	const char *kind, *model, *arch, *driver, *fingerprint, *clock;
	const char *machine; /* which one of its model, through all drivers; NULL or "": unknown */
};

struct db_problem {
	const char *workload, *operator_name, *workload_hash;
	const char *problem, *problem_key; /* key: struct binding's */
	const char *dims_json;             /* {"dims":{...},"dtypes":{...}} */
	double flops, bytes;
	const char *element; /* type that it computes in (model/dtype), NULL: not known */
};

struct db_implementation {
	const char *name;
	int64_t index;
	const char *key; /* content key of source and tool chain: what makes an old result still
			    valid */
	const char *toolchain; /* in the builder's words; NULL: not known */
};

struct db_run {
	const char *version, *strategy, *policy_json, *budget, *cache_policy;
	const char *baseline; /* name of an implementation, or NULL */
	uint64_t seed;
	bool simulated;  /* what is known of device, workload and problem stays as it is */
	const char *uid; /* of results that come from elsewhere, from their content; NULL: a new one
			  */
	/* Those that take part: from now on `best` looks at their results, and at no others of the
	 * same names. */
	const struct db_implementation *implementations;
	size_t n_implementations;
};

enum { DB_MAX_LOG = 2000 }; /* bytes of a result's log that are kept */

struct db_trial {
	struct db_implementation implementation;
	const char *config_json, *config_key;
	const char *rewrites_json; /* which made the configuration what it is:
				      [{"rewrite","before","after"},...], or NULL */
	bool is_default;
	int64_t recorded_ms; /* since 1970; 0: now */
	const struct result *result;
};

/* Is there a run with this uid? */
enum asc_status db_find_run(struct db *d, const char *uid, bool *found, struct asc_err *e);

/* Finds or makes the rows of device, workload and problem, and a run row; *run is its id. */
enum asc_status db_begin_run(struct db *d, const struct db_device *device,
			     const struct db_problem *problem, const struct db_run *run,
			     int64_t *run_id, struct asc_err *e);
enum asc_status db_add_trial(struct db *d, int64_t run_id, const struct db_trial *t,
			     struct asc_err *e);

struct db_final { /* a finalist of a run; borrowed during the call */
	struct db_implementation implementation;
	const char *config_key;
	bool winner;
	enum standing standing;
	double ratio; /* to the chosen one, median of the rounds */
	struct stats_interval interval;
	double threads, memory_bytes;
	struct stats_summary time;
	const int64_t *samples; /* one for each round */
	size_t n_samples;
	double clock_mhz; /* that the samples were taken at; 0: unknown */
};

/* Of a configuration that has a trial, in this run or an earlier one. */
enum asc_status db_add_final(struct db *d, int64_t run_id, const struct db_final *f,
			     struct asc_err *e);

/* The newest trial of a configuration for the device, problem and cache policy of a run passed in
 * its finals: it is ok. */
enum asc_status db_pass_trial(struct db *d, int64_t run_id, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e);

/* How sure the finals of a run were. `apart`: the best on record did not take part, and is faster
 * than their winner: they do not replace it. */
enum asc_status db_set_sure(struct db *d, int64_t run_id, const struct sureness *v, bool apart,
			    struct asc_err *e);

struct db_space_count {            /* of the space of an implementation; texts borrowed */
	const char *kind;          /* "all", "condition", "valid" */
	const char *origin, *text; /* of a condition, as space_each_removal() gives them */
	double configurations;     /* of a condition: what it takes away; NaN: not counted */
};

/* In their order; once for each implementation of a run. */
enum asc_status db_add_space(struct db *d, int64_t run_id, const struct db_implementation *i,
			     const struct db_space_count *list, size_t n, struct asc_err *e);
enum asc_status db_set_steady(struct db *d, int64_t run_id, const char *json, struct asc_err *e);
enum asc_status db_end_run(struct db *d, int64_t run_id, const char *outcome,
			   struct asc_err *e); /* "done", "interrupted", ... */

/* What a device reaches at best; a rate of 0 makes it unknown again. ASC_NOTFOUND for a device that
 * no run has been recorded on. */
enum asc_status db_put_peaks(struct db *d, const char *fingerprint, const struct peaks *p,
			     struct asc_err *e);

/* ---- asking ---- */

/* What is not known is 0; *found: something is. */
enum asc_status db_find_peaks(struct db *d, const char *fingerprint, enum dtype type,
			      struct peaks *out, bool *found, struct asc_err *e);

struct db_wanted { /* which trial: for the device, problem and measuring policy of a run */
	int64_t run_id;
	const char *implementation, *implementation_key, *config_key;
};

/* The newest recorded result (not simulated); *found is false when there is none. *out is
 * initialised here, every member filled, and the caller's to result_fini(). */
enum asc_status db_find_trial(struct db *d, const struct db_wanted *wanted, struct result *out,
			      bool *found, struct asc_err *e);

/* The fastest ok trial of an implementation that any run has recorded for the device, problem and
 * cache policy of `run_id`, and that was not withdrawn: its configuration's key is appended to
 * `config`. */
enum asc_status db_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				struct buf *config, double *median_ns, bool *found,
				struct asc_err *e);

struct db_best { /* strings borrowed during the visit */
	const char *workload, *operator_name, *problem, *dims_json;
	const char *device_kind, *device_model, *device_arch, *device_fingerprint, *clock;
	const char *device_driver;
	const char *implementation, *config_json, *config_key, *recorded_at;
	const char *rewrites_json; /* as in struct db_trial; "[]": none */
	int64_t implementation_index, run_id, trial_id, n_samples;
	const char *cache_policy; /* "cold" or "hot": each has a best of its own */
	int64_t older;            /* a newer run answers the same for this machine */
	int64_t final_run_id;     /* whose finals decide; 0: none were held */
	const char *ties_json;    /* of its finals: [{"implementation","config_key","ratio","low",
				     "high","standing","winner"},...], itself first, "[]": none
				     were held */
	const char *sure;         /* in the words of model/tie.h */
	double noise_pct;         /* as in struct sureness */
	int64_t n_ties;
	double median_ns, q1_ns, q3_ns, min_ns, max_ns; /* in the finals, where they were held */
	double low_ns, high_ns; /* interval of the median, NaN: too few samples */
	double clock_mhz;       /* of the processor, at which that was measured; 0: unknown */
	/* Of the default configuration of the same implementation, and of the fastest of the
	 * implementation that the workload compares with, in the rounds of the same finals (without
	 * finals: in the same run); 0 and NULL: not measured there. */
	double default_ns;
	const char *default_key;
	const char *baseline;            /* its name; NULL: the workload compares with none */
	double baseline_ns, vs_baseline; /* the second: divided by median_ns */
	double flops, bytes;
	double max_abs_error; /* NaN: not verified */
	int64_t trials, ok_trials;
	double peak_flops, peak_bandwidth; /* of the device, 0: not measured */

	/* By model/roofline: FLOP/s, the part of them that the best reached; 0 and NULL where
	 * something is not known. */
	double attainable_flops, attainable_part;
	const char *bound; /* "compute", "memory" */
};

typedef enum asc_status db_best_fn(void *user, const struct db_best *row, struct asc_err *e);

/* The members of struct db_best that are worth writing, by name and in order, for every writer to
 * walk. */
enum db_field_kind {
	DB_FIELD_TEXT,  /* const char *, may be NULL */
	DB_FIELD_JSON,  /* const char *, a JSON value */
	DB_FIELD_INT,   /* int64_t */
	DB_FIELD_REAL,  /* double, NaN: not known */
	DB_FIELD_AMOUNT /* double, 0: not known */
};

struct db_field {
	const char *name;
	size_t offset;
	enum db_field_kind kind;
	bool derived; /* from other members, not recorded */
	bool subject; /* says what was measured and where: the same for all trials of one subject */
};

extern const struct db_field db_best_fields[]; /* ended by a NULL name */

/* The best of every device × problem × cache policy, by the view of that name (schema_best.c),
 * ordered by workload, problem, device, policy; of one machine's drivers the newest. `workload`
 * NULL: all. Not to be nested. */
enum asc_status db_each_best(struct db *d, const char *workload, db_best_fn *visit, void *user,
			     struct asc_err *e);

/* ... of every driver: those that are `older`, too. */
enum asc_status db_each_best_ever(struct db *d, const char *workload, db_best_fn *visit, void *user,
				  struct asc_err *e);

/* ... of the device, problem and cache policy of a run: no visit where nothing passed. */
enum asc_status db_find_best(struct db *d, int64_t run_id, db_best_fn *visit, void *user,
			     struct asc_err *e);

/* A trial and all that it belongs to; borrowed during the visit. Texts may be NULL. */
struct db_record {
	const char *workload, *operator_name, *problem, *problem_key, *dims_json;
	const char *device_kind, *device_model, *device_arch, *device_driver, *device_fingerprint;
	const char *clock, *cache_policy, *implementation, *implementation_key;
	const char *config_json, *config_key, *status, *phase, *reason, *artifact;
	const char *recorded_at; /* ISO 8601, UTC, with milliseconds */
	int64_t implementation_index, is_default, n_samples, run_id, trial_id;
	int64_t build_ns, load_ns, verify_ns, measure_ns;
	double flops, bytes;
	double median_ns, q1_ns, q3_ns, min_ns, max_ns, low_ns, high_ns; /* NaN: not known */
	double max_abs_error;
	const int64_t *samples; /* n_samples, ns; not among the fields */
};

extern const struct db_field db_record_fields[]; /* of struct db_record, ended by a NULL name */

typedef enum asc_status db_record_fn(void *user, const struct db_record *row, struct asc_err *e);

struct db_records {     /* which trials */
	bool simulated; /* those that were not measured here, instead of those that were */
	bool newest;    /* only the newest of each configuration, of what `best` looks at; of one
			   that was withdrawn, status and reason are those of what did it */
};

/* Ordered by workload, problem, device, cache policy and implementation, the trials of those as
 * they were recorded. Not to be nested. */
enum asc_status db_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
			       void *user, struct asc_err *e);

#endif
