/* The loop's side of the database: one run, its trials, and what earlier runs recorded. */
#ifndef ASCTUNE_TUNE_RECORDER_H
#define ASCTUNE_TUNE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"

struct impl_search;
struct impl_searches;
struct binding;
struct buf;
struct config;
struct loop_budget;
struct loop_options;
struct loop_patience;
struct loop_steadiness;
struct loop_trial;
struct profile;
struct result;
struct sureness;

struct recorder {
	struct db *db;                        /* borrowed; NULL until the run has begun */
	const struct binding *binding;        /* borrowed */
	const struct impl_searches *searches; /* borrowed */
	int64_t run_id;
	struct db *with;    /* borrowed; has results of earlier runs, too; NULL: none */
	int64_t *with_runs; /* run there that each search may take results of; 0: none */
	int64_t began_ns;   /* when the run began (clock_now_ns()) */
	int64_t spent_ns;   /* in the database */
};

/* Appends a budget as a run's record has it: "200 trials, 60 s", "30 s", "all". */
void recorder_print_budget(const struct loop_budget *b, struct buf *out);

enum asc_status recorder_begin(struct recorder *j, const struct loop_options *o, struct db *db,
			       const struct binding *b, const struct impl_searches *searches,
			       const char *strategy, struct asc_err *e);

enum asc_status recorder_add(struct recorder *j, const struct impl_search *search, uint64_t index,
			     const struct config *c, const struct result *r, struct asc_err *e);
enum asc_status recorder_add_final(struct recorder *j, const struct db_final *row,
				   struct asc_err *e);

/* Records that a trial has passed which was not decided, or was dropped for being slow. */
enum asc_status recorder_pass(struct recorder *j, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e);
enum asc_status recorder_set_sure(struct recorder *j, const struct sureness *s,
				  enum db_weight weight, struct asc_err *e);
/* Does what db_set_beside() does. */
enum asc_status recorder_set_beside(struct recorder *j, int64_t answer_id, struct asc_err *e);
/* Records the time of finals that began at that time of clock_now_ns(), and end now. */
enum asc_status recorder_set_finals_time(struct recorder *j, int64_t begin_ns, struct asc_err *e);
enum asc_status recorder_set_input_seeds(struct recorder *j, const uint64_t *seeds, size_t n,
					 struct asc_err *e);
enum asc_status recorder_set_patience(struct recorder *j, const struct loop_patience *p,
				      struct asc_err *e);
enum asc_status recorder_add_steadiness(struct recorder *j, const struct loop_steadiness *s,
					struct asc_err *e);
enum asc_status recorder_find(struct recorder *j, const struct impl_search *search,
			      const struct config *c, struct result *out, bool *found,
			      struct asc_err *e);

/* Records, as of this run, what recorder_find() finds of a configuration in the other database
 * alone: an answer is found where its trial is. */
enum asc_status recorder_borrow(struct recorder *j, const struct impl_search *search,
				uint64_t index, const struct config *c, struct asc_err *e);

/* Visits the configurations of a search that recorder_find() finds, in the order in which they were
 * first recorded. */
enum asc_status recorder_each(struct recorder *j, const struct impl_search *search,
			      db_recorded_fn *visit, void *user, struct asc_err *e);

/* The fastest that any run has recorded of an implementation here; `out` is empty before. */
enum asc_status recorder_find_fastest(struct recorder *j, const char *implementation,
				      struct loop_trial *out, struct asc_err *e);

enum asc_status recorder_put_profile(struct recorder *j, const struct impl_search *search,
				     const struct config *c, const struct profile *p,
				     struct asc_err *e);

/* Notes how the run ended. Keeps `status` and `e` when the run had failed already. */
enum asc_status recorder_end(struct recorder *j, enum asc_status status, bool interrupted,
			     struct asc_err *e);

#endif
