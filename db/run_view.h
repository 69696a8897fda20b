/* Questions about single runs, for the report: which there are, what each tried, its finals, and
 * what its spaces had. Strings are borrowed during a visit. */
#ifndef ASCTUNE_DB_RUN_VIEW_H
#define ASCTUNE_DB_RUN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/result/tie.h"

struct db;
struct db_space_count;

struct db_run_range { /* range of identifiers of a run's trials */
	int64_t run_id, first_trial, last_trial;
};

/* Texts of a view, in the order of its query's columns. `device_machine`: identity of the machine;
 * NULL: unknown. `workload_file`: absolute path; NULL: unknown. */
#define DB_RUN_VIEW_TEXTS(X)                                                                       \
	X(workload)                                                                                \
	X(operator_name)                                                                           \
	X(problem)                                                                                 \
	X(problem_key)                                                                             \
	X(device_kind)                                                                             \
	X(device_model)                                                                            \
	X(device_machine)                                                                          \
	X(device_arch)                                                                             \
	X(device_driver)                                                                           \
	X(clock)                                                                                   \
	X(cache_policy)                                                                            \
	X(strategy)                                                                                \
	X(budget)                                                                                  \
	X(version)                                                                                 \
	X(outcome)                                                                                 \
	X(baseline)                                                                                \
	X(workload_file)

struct db_run_view {
#define X(member) const char *member;
	DB_RUN_VIEW_TEXTS(X)
#undef X
	struct db_run_range range;
	struct db_run_range before; /* previous run of the same workload, problem, device and cache
				       policy; run_id 0: none */
	int64_t older;              /* number of earlier runs */
	int64_t started_ms, ended_ms; /* end, ms since 1970; 0: not ended in order */
	int64_t trials, ok_trials;    /* rows of trials; those that passed */
	int64_t samples, disturbed;   /* samples of the run; those beside other load or at a low
					 clock; 0: not recorded */
	bool simulated, imported;     /* as in struct db_run */
	double flops, bytes;          /* operations and bytes of one launch; 0: not stated */
	struct roof roof;             /* of the device for the problem's type */
};

typedef enum asc_status db_run_view_fn(void *user, const struct db_run_view *r, struct asc_err *e);

/* Visits the newest run with results of each workload, problem, device (model and machine) and
 * cache policy, one of a single configuration (`run --config`) only where there is no other;
 * measured ones first, then by time, newest first. Not to be nested. */
enum asc_status db_each_newest_run(struct db *d, db_run_view_fn *visit, void *user,
				   struct asc_err *e);

struct db_run_record { /* texts may be NULL */
	const char *workload, *problem, *dims_json, *problem_key, *workload_file, *workload_hash;
	const char *device_kind, *device_model, *device_arch, *device_driver, *device_fingerprint;
	const char *device_machine; /* machine, where several of the model are known; NULL: one */
	const char *version, *strategy, *budget, *cache_policy, *baseline, *outcome;
	const char *source_commit;         /* as in struct db_run */
	const char *started_at, *ended_at; /* ISO 8601, UTC */
	const char *sure, *steady_json, *policy_json;
	const char *history_json, *patience_json; /* as in struct db_run, db_set_patience() */
	const char *input_seeds;                  /* JSON array; NULL: one set */
	const char *statuses_json;                /* {"STATUS": trials, ...} */
	int64_t run_id, seed, simulated, imported, trials, source_clean;
	double noise_pct; /* NaN: no finals */
};

extern const struct db_field db_run_fields[]; /* ended by a NULL name */

struct db_run_choice {
	int64_t run_id;                 /* 0: all */
	const char *workload, *problem; /* names; NULL: all */
};

/* Visits runs by workload, problem and time. Not to be nested. */
typedef enum asc_status db_run_record_fn(void *user, const struct db_run_record *r,
					 struct asc_err *e);
enum asc_status db_each_run(struct db *d, const struct db_run_choice *c, db_run_record_fn *visit,
			    void *user, struct asc_err *e);

struct db_run_trial {
	int64_t id, implementation_id;
	const char *implementation, *config_json, *config_key;
	enum result_status status;
	bool is_default, cached;
	int64_t recorded_ms, spent_ns[PHASE_COUNT];
	double median_ns, low_ns, high_ns; /* NaN: not known */
};

typedef enum asc_status db_run_trial_fn(void *user, const struct db_run_trial *t,
					struct asc_err *e);

/* Visits the trials of a run in the order of recording. Not to be nested. */
enum asc_status db_each_run_trial(struct db *d, const struct db_run_range *r,
				  db_run_trial_fn *visit, void *user, struct asc_err *e);

struct db_run_final {
	int64_t implementation_id;
	const char *implementation, *config_key;
	int64_t trial_id; /* its newest trial in this run; 0: none, the best on record */
	int64_t tried_id; /* its newest trial in any run of the problem on the device */
	enum standing standing;
	bool winner, is_default;
	double ratio, ratio_low, ratio_high; /* ratio to the chosen finalist; its interval is NaN
						where it left the rounds for another */
	double median_ns, low_ns, high_ns, min_ns, q1_ns, q3_ns, max_ns, clock_mhz;
	int64_t n_samples;       /* number of its rounds */
	struct result_bits bits; /* digest "": not known */
	const char *code;        /* equal texts: the same code, launched alike; measured once */
};

typedef enum asc_status db_run_final_fn(void *user, const struct db_run_final *f,
					struct asc_err *e);

/* Visits the finalists of a run: the winner, then by ratio to it. */
enum asc_status db_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit, void *user,
				  struct asc_err *e);

struct db_passed { /* a trial that passed */
	int64_t trial_id, implementation_id;
	const char *implementation, *config_key;
	double median_ns; /* NaN: not known */
	/* In the finals of the run: it won (-1: it took no part), its ratio to the winner and its
	 * time there; NaN: not known. */
	int winner;
	double ratio, final_ns;
};

typedef enum asc_status db_passed_fn(void *user, const struct db_passed *t, struct asc_err *e);

/* Visits the trials of a run that passed, and those of the winner of its finals in earlier runs.
 * ASC_NOTFOUND: there is no such run. Not to be nested. */
enum asc_status db_each_passed(struct db *d, int64_t run_id, db_passed_fn *visit, void *user,
			       struct asc_err *e);

/* Reads the samples of a finalist, one a round: *out is the caller's heap array; none where there
 * is no such finalist. */
enum asc_status db_get_final_samples(struct db *d, int64_t run_id, const char *implementation,
				     const char *config_key, int64_t **out, size_t *n,
				     struct asc_err *e);

enum db_compared_state {
	DB_COMPARED_UNUSABLE, /* it cannot be built, loaded or launched */
	DB_COMPARED_FAILED,   /* it crashed, was wrong or took too long, as it may do once */
	DB_COMPARED_FINALIST,
	DB_COMPARED_PASSED
};

struct db_compared { /* a configuration in a run */
	int64_t run_id;
	const char *config_key;
	enum db_compared_state state;
};
typedef enum asc_status db_compared_fn(void *user, const struct db_compared *b, struct asc_err *e);

/* Visits the configurations of an implementation, by its row, that failed, were finalists or passed
 * in a run of the problem, device and cache policy of `run_id`: the newest run first, of a run in
 * the order of the states. A finalist has passed, too. */
enum asc_status db_each_compared(struct db *d, int64_t run_id, int64_t implementation_id,
				 db_compared_fn *visit, void *user, struct asc_err *e);

struct db_cover_cell { /* a configuration on a problem, in the rounds of finals */
	int64_t device_id, problem_id, implementation_id;
	const char *device, *cache_policy, *workload, *implementation, *config_key, *problem;
	double ratio; /* to the chosen one of those rounds */
	bool is_default;
};
typedef enum asc_status db_cover_cell_fn(void *user, const struct db_cover_cell *c,
					 struct asc_err *e);

/* Visits what the newest search of each problem and what `run --cover` has compared, by device,
 * cache policy, workload, implementation, configuration and problem; of equal ones the newest
 * first. */
enum asc_status db_each_cover_cell(struct db *d, db_cover_cell_fn *visit, void *user,
				   struct asc_err *e);

struct db_run_energy { /* a configuration of a run whose energy was measured; texts borrowed */
	const char *implementation, *config_key;
	bool winner;                  /* of the run's finals */
	double ns, low_ns, high_ns;   /* time of a launch, its interval NaN: not known */
	double joules, low_j, high_j; /* energy of a launch, likewise */
};

typedef enum asc_status db_run_energy_fn(void *user, const struct db_run_energy *x,
					 struct asc_err *e);
/* Visits the configurations of a run whose energy was measured, the fastest first. */
enum asc_status db_each_run_energy(struct db *d, int64_t run_id, db_run_energy_fn *visit,
				   void *user, struct asc_err *e);

/* Visits the counts of each implementation's space in the order of recording: "all", conditions,
 * "valid". None for runs of versions that did not record them. */
typedef enum asc_status db_space_count_fn(void *user, const char *implementation,
					  const struct db_space_count *c, struct asc_err *e);
enum asc_status db_each_space_count(struct db *d, int64_t run_id, db_space_count_fn *visit,
				    void *user, struct asc_err *e);

/* Reads all that was recorded of one trial: *out is initialised here and the caller's to
 * result_fini(); `rewrites` gets the JSON of its rewrites, nothing where there were none.
 * ASC_NOTFOUND when there is no such trial. */
struct buf;
enum asc_status db_get_trial(struct db *d, int64_t trial_id, struct result *out,
			     struct buf *rewrites, struct asc_err *e);

#endif
