/* The results database: one SQLite file, opened, recorded to and asked.
 *
 * Every recorded result is a transaction of its own (WAL, synchronous NORMAL, FULL when durable;
 * journal DELETE on network file systems, said once). All SQL lives in db/. Errors name the file:
 * ASC_NEWER for a newer schema, ASC_INPUT for one before 0.1.0, ASC_BUSY when locked beyond the
 * busy timeout, ASC_FULL for a full disk or a file as large as a limit allows, ASC_IO for a file
 * that cannot be read or written, ASC_INPUT for one that is no database or another program's,
 * ASC_USAGE for what is no file. A handle is used by one thread; processes and handles may share a
 * file. */
#ifndef ASCTUNE_DB_DB_H
#define ASCTUNE_DB_DB_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"

struct buf;
struct db;
struct metric;
struct peaks;
struct profile;
struct roof;

enum db_mode { DB_READ, DB_GLANCE, DB_STILL, DB_WRITE, DB_WRITE_DURABLE };

/* DB_READ never makes or changes a file: ASC_NOTFOUND when there is none, or an empty one; it reads
 * from read-only folders too. DB_GLANCE is the same for those who will look again: it waits for a
 * lock only 0.2 s. The other modes make the file. Another process may hold the lock for 10 s, or
 * for as many milliseconds as ASCTUNE_BUSY_TIMEOUT_MS says (slow file systems, tests). */
enum asc_status db_open(const char *path, enum db_mode mode, struct db **out, struct asc_err *e);
void db_close(struct db *d);

/* Sets what a whole process has SQLite do: for programs, not for libraries, and before any database
 * is opened. */
void db_set_up_process(void);

/* Makes databases that are recorded to wait for a lock until *stop is not 0; a wait that takes long
 * is logged. */
void db_wait_until(const volatile sig_atomic_t *stop);

/* ---- recording ---- */

/* Makes everything recorded between the two calls one transaction: kept when `status` is ASC_OK,
 * else dropped as a whole. Both return the first failure. Not to be nested. */
enum asc_status db_begin_batch(struct db *d, struct asc_err *e);

/* The same for imported runs with all that belongs to them, and for nothing else: no kept answer
 * depends on them. In a database without trials the indexes of these are made at the end. */
enum asc_status db_begin_import(struct db *d, struct asc_err *e);
enum asc_status db_end_batch(struct db *d, enum asc_status status, struct asc_err *e);

struct db_device { /* strings borrowed during the call */
	const char *kind, *model, *arch, *driver, *fingerprint, *clock;
	const char *machine; /* stable identity of the machine or GPU, whatever its driver; NULL or
				"": unknown */
};

struct db_problem {
	const char *workload, *operator_name, *workload_hash;
	const char *problem, *problem_key; /* problem_key: that of struct binding */
	const char *dims_json;             /* {"dims":{...},"dtypes":{...}} */
	double flops, bytes;
	const char *element; /* type that the problem computes in (base/dtype); NULL: unknown */
	const char *workload_file; /* absolute path; NULL: unknown */
	const char
		*export_json;   /* the workload's "export", "{}" where it has none; NULL: unknown */
	const char *kinds_json; /* kinds of the dimensions, {"NAME": "size", ...}
				   (binding_write_kinds); NULL: unknown */
};

struct db_implementation {
	const char *name;
	int64_t index;
	const char *key; /* content key of source and toolchain: an old result with this key is
			    still valid */
	const char *toolchain; /* toolchain as the builder describes it; NULL: unknown */
	const char *options;   /* words of the compiler's command that all configurations have, a
				  JSON array; NULL: unknown */
	const char *sources; /* the source and all that it may include, {"PATH": "KEY", ...}; NULL:
				unknown */
	const char *source_digest; /* digest of the text of all these; "": there is no source; NULL:
				      unknown */
};

struct db_run {
	const char *version, *strategy, *policy_json, *budget, *cache_policy;
	const char *baseline;      /* names of implementations, "eager,compiled", or NULL */
	const char *source_commit; /* commit of the workload's folder; NULL: unknown */
	bool source_clean;         /* nothing that counts differed from it (tune/source_commit) */
	const char *history_json;  /* earlier results that the search begins with:
				      {"results", "sources"}; NULL: none */
	uint64_t seed;
	bool simulated; /* a model gave the times, or some other machine: what the database says of
			   device, workload and problem stays */
	bool aside;     /* beside the history of its workload: what the database says of workload
			   and problem stays, too */
	bool imported;  /* simulated, and not by this program; else on a stand-in of a device */
	int64_t share_id; /* share that the run is a part of (db/share.h); 0: none */
	const char *uid;  /* of imported results, made from their content; NULL: a new one */
	/* Implementations that take part in the run: from then on `best` ignores results of others
	 * with the same names. */
	const struct db_implementation *implementations;
	size_t n_implementations;
};

enum { DB_MAX_LOG = 2000 }; /* bytes of a result's log that are recorded */

struct db_trial {
	struct db_implementation implementation;
	const char *config_json, *config_key;
	const char *rewrites_json; /* rewrites that shaped the configuration:
				      [{"rewrite","before","after"},...]; NULL: none */
	bool is_default;
	int64_t recorded_ms; /* time of the trial, ms since 1970; 0: now */
	int64_t origin_ns;   /* when its run began, by the clock of the result's times */
	/* The configuration of the run that was measured in its place, whose samples stand there;
	 * key NULL: it was measured itself. */
	struct db_implementation same_implementation;
	const char *same_key;
	const struct result *result;
};

/* Sets *found when a run has this uid. */
enum asc_status db_find_run(struct db *d, const char *uid, bool *found, struct asc_err *e);

/* Finds or makes the rows of device, workload and problem, and makes a run; *run is its identifier.
 */
enum asc_status db_begin_run(struct db *d, const struct db_device *device,
			     const struct db_problem *problem, const struct db_run *run,
			     int64_t *run_id, struct asc_err *e);
enum asc_status db_add_trial(struct db *d, int64_t run_id, const struct db_trial *t,
			     struct asc_err *e);

/* Records the profile of a configuration, in place of one that the run has of it. */
enum asc_status db_put_profile(struct db *d, int64_t run_id, const struct db_implementation *i,
			       const char *config_key, const struct profile *p, struct asc_err *e);

struct db_final { /* a finalist of a run; borrowed during the call */
	struct db_implementation implementation;
	const char *config_key;
	bool winner;
	enum standing standing;
	double ratio; /* time / time of the chosen finalist: median of the rounds */
	struct stats_interval interval;
	double threads, memory_bytes;
	struct stats_summary time;
	const int64_t *samples; /* samples, one for each round */
	size_t n_samples;
	double clock_mhz;               /* median clock of the samples; 0: unknown */
	const struct result_bits *bits; /* NULL: not known */
};

/* Records a finalist, a configuration that has a trial in this run or an earlier one. */
enum asc_status db_add_final(struct db *d, int64_t run_id, const struct db_final *f,
			     struct asc_err *e);

/* Changes the newest trial of a configuration in a run to ok: it passed in the finals. Where it was
 * not tried there, the newest of an earlier run on the same device, problem and cache policy; a
 * later run, which may go on at the same time, has its own verdict. */
enum asc_status db_pass_trial(struct db *d, int64_t run_id, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e);

/* How finals weigh beside others of their problem; of equal weight, the newest decide. */
enum db_weight {
	DB_WEIGHS_SURE,  /* as sure as they are */
	DB_WEIGHS_LESS,  /* as those that are not sure: the best on record did not take part and is
			    faster than their winner */
	DB_WEIGHS_ASKED, /* as those that are sure: only some configurations may be the answer */
};

/* Records how sure the finals of a run were. Those that compared nothing (SURE_UNRANKED) have no
 * weight. */
enum asc_status db_set_sure(struct db *d, int64_t run_id, const struct sureness *v,
			    enum db_weight weight, struct asc_err *e);

/* Gives the finals of a run less weight than those of run `answer_id`, which compared more: they do
 * not replace that answer, however new they are. After db_set_sure(). */
enum asc_status db_set_beside(struct db *d, int64_t run_id, int64_t answer_id, struct asc_err *e);

struct db_space_count {            /* one count of the space of an implementation; texts borrowed */
	const char *kind;          /* "all", "condition", "valid" */
	const char *origin, *text; /* as space_each_removal() gives them; NULL: no condition */
	double configurations;     /* configurations; of a condition those that it removes; NaN: not
				      counted */
};

/* Records the counts of one implementation of a run, in order. Called once for each. */
enum asc_status db_add_space(struct db *d, int64_t run_id, const struct db_implementation *i,
			     const struct db_space_count *list, size_t n, struct asc_err *e);

/* Records the seeds of the sets of inputs behind the first, on which finalists were verified. */
enum asc_status db_set_input_seeds(struct db *d, int64_t run_id, const char *json,
				   struct asc_err *e);
/* Records why the search of a run ended before its budget: {"patience", ...}. */
enum asc_status db_set_patience(struct db *d, int64_t run_id, const char *json, struct asc_err *e);
/* Records when the finals of a run began, from its begin on, and how long they took. */
enum asc_status db_set_finals_time(struct db *d, int64_t run_id, int64_t begin_ns, int64_t ns,
				   struct asc_err *e);
enum asc_status db_set_steady(struct db *d, int64_t run_id, const char *json, struct asc_err *e);
enum asc_status db_end_run(struct db *d, int64_t run_id, const char *outcome,
			   struct asc_err *e); /* "done", "interrupted", ... */

/* Records peaks of a device where they are better than what is recorded, as peaks_merge() does.
 * ASC_NOTFOUND for a device without a recorded run. */
enum asc_status db_put_peaks(struct db *d, const char *fingerprint, const struct peaks *p,
			     struct asc_err *e);

/* ---- asking ---- */

/* Finds the peaks of a device that are of `type`, or of none. */
enum asc_status db_find_peaks(struct db *d, const char *fingerprint, enum dtype type,
			      struct peaks *out, struct asc_err *e);

/* Has queries know the peaks in this folder of a cache, too: the best ever measured here of each
 * device, by whatever database. Without it they know what the database has recorded. */
enum asc_status db_use_peaks(struct db *d, const char *cache, struct asc_err *e);

/* Finds the roof of a device for an element type; zeroed where an argument is NULL or unknown. */
enum asc_status db_find_roof(struct db *d, const char *fingerprint, const char *element,
			     struct roof *out, struct asc_err *e);

struct db_alike { /* a run that is not in this database; borrowed */
	const char *fingerprint, *workload, *problem, *problem_key, *cache_policy, *policy_json;
	const char *implementation, *implementation_key;
};

/* Finds a run of this database whose results that one may take; *found false: there is none. */
enum asc_status db_find_alike(struct db *d, const struct db_alike *to, int64_t *run_id, bool *found,
			      struct asc_err *e);

struct db_wanted { /* key of a trial: for the device, problem and measuring policy of a run */
	int64_t run_id;
	const char *implementation, *implementation_key, *config_key;
};

/* Finds the newest recorded result that was not imported; *found is false when there is none. *out
 * is initialised here, every member filled, and the caller's to result_fini(). */
enum asc_status db_find_trial(struct db *d, const struct db_wanted *wanted, struct result *out,
			      bool *found, struct asc_err *e);

/* Visits the configurations that db_find_trial() would find, in the order in which they were first
 * recorded; `first_id` is that trial. wanted->config_key is not looked at. Not to be nested. */
typedef enum asc_status db_recorded_fn(void *user, const char *config_key, int64_t first_id,
				       struct asc_err *e);
enum asc_status db_each_recorded(struct db *d, const struct db_wanted *wanted,
				 db_recorded_fn *visit, void *user, struct asc_err *e);

/* Finds the profile that counts of a configuration, on the device and problem and under the cache
 * policy of a run: one with counters before one without, then that of the newest run. *out is
 * initialised here and the caller's to profile_fini(). */
enum asc_status db_find_profile(struct db *d, int64_t run_id, int64_t implementation_id,
				const char *config_key, struct profile *out, bool *found,
				struct asc_err *e);

/* Visits the profiles that a run has made, in order. */
typedef enum asc_status db_profile_fn(void *user, const char *implementation,
				      const char *config_key, const struct profile *p,
				      struct asc_err *e);
enum asc_status db_each_profile(struct db *d, int64_t run_id, db_profile_fn *visit, void *user,
				struct asc_err *e);

/* Members of a row that are worth writing, in order: the list that every writer walks. */
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
	bool derived; /* computed from other members, not recorded */
	bool subject; /* names the subject (what was measured and where): equal for all its trials
		       */
};

/* A trial with its run, problem, device and implementation; borrowed during the visit. Texts may be
 * NULL. */
struct db_record {
	const char *workload, *operator_name, *problem, *problem_key, *dims_json;
	const char *device_kind, *device_model, *device_arch, *device_driver, *device_fingerprint;
	const char *clock, *cache_policy, *implementation, *implementation_key;
	const char *config_json, *config_key, *status, *phase, *reason, *artifact;
	const char *metrics_json; /* {"PROBE.NAME": value, ...} */
	const char *recorded_at;  /* ISO 8601, UTC, with milliseconds */
	int64_t implementation_index, is_default, n_samples, run_id, trial_id;
	int64_t build_ns, load_ns, verify_ns, measure_ns;
	double flops, bytes;
	double median_ns, q1_ns, q3_ns, min_ns, max_ns, low_ns, high_ns; /* NaN: not known */
	double max_abs_error;
	const char *verified_by; /* name of enum verified_by; NULL: nothing, or not known */
	/* The following members are not among the fields. */
	const int64_t *samples;  /* samples, ns, n_samples of them; NULL: they were pruned */
	const char *export_json; /* as in struct db_problem; not set by db_find_record() */
	bool of_finals; /* the times are those of the finals of its run; there are no samples */
	bool simulated, imported; /* as in struct db_run */
	bool first; /* it is the first of its subject; set by db_each_record(), which visits all of
		       a subject before the next */
	int64_t device_id, problem_id; /* rows; set by db_each_record() */
	int64_t implementation_id;
	/* Set by db_find_record(), else NULL. */
	const char *provenance_json; /* provenance (result/provenance) */
};

extern const struct db_field db_record_fields[]; /* ended by a NULL name */

typedef enum asc_status db_record_fn(void *user, const struct db_record *row, struct asc_err *e);

struct db_records {     /* filter of trials */
	bool simulated; /* simulated trials, imported ones among them, instead of measured ones */
	bool newest;    /* only the newest trial of each configuration */
	bool finals;    /* times of finalists are those of the finals of their run */
};

/* Visits trials ordered by workload, problem, device, cache policy and implementation, then as they
 * were recorded. Not to be nested. */
enum asc_status db_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
			       void *user, struct asc_err *e);

/* Visits one trial; where it took part in the finals of its run, with the times that it had there.
 * ASC_NOTFOUND when there is none. */
enum asc_status db_find_record(struct db *d, int64_t trial_id, db_record_fn *visit, void *user,
			       struct asc_err *e);

#endif
