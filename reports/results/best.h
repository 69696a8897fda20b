/* Questions for what is best, and their rows: each answer with all that is shown of it.
 *
 * The answers are those of answers.h. The database keeps them, so that a question costs what its
 * answers have and not what the history has; where results have changed since, they are worked out
 * again; a kept answer that contradicts itself, or whose rows are gone, is ASC_INPUT. Rows are
 * borrowed during the visit. Visits are not to be nested. */
#ifndef ASCTUNE_RESULTS_BEST_H
#define ASCTUNE_RESULTS_BEST_H

#include <stdbool.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"
#include "tuner/result/baselines.h"
#include "tuner/result/objective.h"

struct buf;
struct profile;

struct best_row { /* strings borrowed during the visit */
	const char *workload, *operator_name, *problem, *dims_json;
	const char *device_kind, *device_model, *device_arch, *device_fingerprint, *clock;
	const char *device_driver;
	const char *implementation, *config_json, *config_key, *recorded_at;
	const char *provenance_json; /* provenance (result/provenance) */
	const char *rewrites_json;   /* rewrites as in struct db_trial; "[]": none */
	int64_t implementation_index, run_id, trial_id, n_samples;
	const char *cache_policy; /* "cold" or "hot": each policy has its own best */
	int64_t older;         /* older: a newer run answers the same question for this machine */
	int64_t final_run_id;  /* run whose finals decide; 0: no finals were held */
	const char *ties_json; /* ties in those finals: [{"implementation", "config_key", "ratio",
				  "low", "high", "standing", "winner"}, ...], the best first; "[]":
				  no finals were held */
	const char *sure;      /* name of enum sure (result/tie.h) */
	double noise_pct;      /* noise_pct and ties as in struct sureness */
	int64_t n_ties;
	double median_ns, q1_ns, q3_ns, min_ns, max_ns; /* in the finals, where held */
	double low_ns, high_ns; /* interval of the median; NaN: too few samples */
	double clock_mhz;       /* median clock of the processor during the samples; 0: unknown */
	/* Times of the default configuration of the same implementation, and of the fastest
	 * configuration of each baseline, in the rounds of the same finals (without finals: in the
	 * same run); 0 and NULL: not measured there. */
	double default_ns;
	const char *default_key;
	double vs_default; /* default's time as a multiple of the best's: the median over the rounds
			      of both; without finals of median_ns; 0: not measured there */
	struct baselines baselines; /* ratios: as vs_default */
	const char *baselines_json; /* the same */
	double flops, bytes;
	double max_abs_error;    /* NaN: not verified */
	const char *verified_by; /* name of enum verified_by (result/result.h); NULL: nothing, or
				    not known */
	const char *bits_json;   /* {"digest", "compared", "varied", "varied_abs", "sets", "places",
				    "classes"}:
				    bits as in struct result_bits, and the number of different ones
				    among the finalists; NULL: not known */
	const char *metrics_json;  /* {"PROBE.NAME": value, ...} */
	const char *profile_json;  /* profile that counts of its configuration, as profile_json.h
				      writes it; NULL: none was made */
	int64_t trials, ok_trials; /* configurations tried; those that passed, not withdrawn */
	double peak_flops, peak_bandwidth; /* peaks of the device; 0: not measured */

	/* Roofline (result/roofline): attainable FLOP/s and the fraction that the best reached; 0
	 * and NULL where an input is unknown. */
	double attainable_flops, attainable_part;
	const char *bound;           /* "compute", "memory" */
	const char *attainable_note; /* as in struct roofline */

	/* The following members are not among the fields. They are as in struct db_problem and
	 * struct db_implementation; NULL: no run of this version has recorded them (`asctune run
	 * FILE --resume` does). */
	const char *export_json, *kinds_json, *source_digest;
	int64_t own_implementation; /* row of the implementation that it is the best of; 0: of all
				     */
	int64_t failed;             /* nothing of the kernel passes any more: what passed last */
	const struct profile *profile; /* what profile_json tells; NULL: none was made, or the row
					  outlives its visit */
	const char *device_machine; /* machine, where several of the model are known; NULL: one */
	struct objective_answer energy; /* what it rests on if it is an answer by energy */
	struct result_bits bits;        /* digest "": not known */
	/* The run that it comes from: as in struct db_run_view; `run_trials` 0 of one that ended
	 * in order. */
	const char *run_outcome, *run_budget, *workload_file;
	int64_t run_trials;
	double host_ns; /* what a program sees without a captured graph (result_host_ns()); 0: the
			   device's time */
	bool compared_alone; /* nothing was searched: `run --table` compared two configurations */
};

/* True for a result of another source of the kernel than the newest run of its workload had, where
 * the workload names that source for programs in Python: no program gets such an answer. */
bool best_has_older_source(const struct best_row *row);

typedef enum asc_status best_fn(void *user, const struct best_row *row, struct asc_err *e);

/* Members that are worth writing, in order: the list that every writer walks. Ended by a NULL name.
 */
extern const struct db_field best_fields[];

/* Visits the best of every device × problem × cache policy, ordered by workload, problem, device,
 * policy; of one machine's drivers the newest. `workload` NULL: all. */
enum asc_status best_each(struct db *d, const char *workload, best_fn *visit, void *user,
			  struct asc_err *e);

/* Visits like best_each(), and where nothing passes any more what passed last: rows that are
 * `failed`. What is `older` than such a row is no best either. */
enum asc_status best_each_or_last(struct db *d, const char *workload, best_fn *visit, void *user,
				  struct asc_err *e);

/* Visits like best_each(), but the best of each implementation. The rows of best_each() are among
 * them, except where finals chose an implementation that no trial with this cache policy tried. */
enum asc_status best_each_of_implementations(struct db *d, const char *workload, best_fn *visit,
					     void *user, struct asc_err *e);

/* Visits like best_each_of_implementations(), of all workloads, and what was compared for a table
 * at sizes that no search has had: rows that are `compared_alone`, which no other function visits
 * unasked. */
enum asc_status best_each_compared(struct db *d, best_fn *visit, void *user, struct asc_err *e);

/* Visits like best_each_or_last(), but of every driver: includes those that are `older`. */
enum asc_status best_each_ever(struct db *d, const char *workload, best_fn *visit, void *user,
			       struct asc_err *e);

/* Visits like best_each(), but results of stand-ins of devices, which the others leave out. */
enum asc_status best_each_simulated(struct db *d, const char *workload, best_fn *visit, void *user,
				    struct asc_err *e);

/* Visits like best_each_of_implementations(), but results of stand-ins of devices. */
enum asc_status best_each_simulated_of_implementations(struct db *d, const char *workload,
						       best_fn *visit, void *user,
						       struct asc_err *e);

/* Visits like best_each(), but what is best by an objective: where that is not time, of the
 * problems whose energy was measured, and `sure` is about the energies. */
enum asc_status best_each_by(struct db *d, const char *workload, enum objective by, best_fn *visit,
			     void *user, struct asc_err *e);

/* Visits like best_each(), for the device, problem and cache policy of one run: no visit where
 * nothing passed. */
enum asc_status best_find(struct db *d, int64_t run_id, best_fn *visit, void *user,
			  struct asc_err *e);

/* Visits like best_find(), but what is best by an objective: no visit where no energy was measured
 * of what stands. */
enum asc_status best_find_by(struct db *d, int64_t run_id, enum objective by, best_fn *visit,
			     void *user, struct asc_err *e);

/* Finds the fastest ok trial of an implementation, not withdrawn, in any run for the device,
 * problem and cache policy of `run_id`; appends its configuration's key to `config`. */
enum asc_status best_find_fastest(struct db *d, int64_t run_id, const char *implementation,
				  struct buf *config, double *median_ns, bool *found,
				  struct asc_err *e);

/* Has the database keep the answers to all results that have changed. What is left out then, as by
 * a run that was killed, is worked out with each question. Subjects that cannot be worked out stay
 * stale: then ASC_INPUT for the first of these, after all others. */
enum asc_status best_refresh(struct db *d, struct asc_err *e);

/* Refreshes after a run, merge or import has recorded its results, and returns their `status`, to
 * which `e` belongs: it does not depend on the answers, except out of memory. Answers that cannot
 * be kept stay stale; the reason is logged, as a warning unless another process holds the database.
 * Nothing for a NULL database. */
enum asc_status best_keep(struct db *d, enum asc_status status, struct asc_err *e);

#endif
