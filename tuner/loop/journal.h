/* The loop's side of the database: one run, its trials, and what earlier runs recorded. */
#ifndef ASCTUNE_LOOP_JOURNAL_H
#define ASCTUNE_LOOP_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct arm;
struct arms;
struct binding;
struct config;
struct db;
struct db_final;
struct db_implementation;
struct loop_options;
struct loop_steadiness;
struct loop_trial;
struct result;
struct sureness;

struct journal {
	struct db *db;                 /* borrowed; NULL until the run has begun */
	const struct binding *binding; /* borrowed */
	int64_t run_id;
	int64_t spent_ns; /* in the database */
};

enum asc_status journal_begin(struct journal *j, const struct loop_options *o,
			      const struct binding *b, const struct arms *arms,
			      const char *strategy, struct asc_err *e);

/* How many configurations the space of each arm has, and what each condition takes away. */
enum asc_status journal_add_spaces(struct journal *j, const struct arms *arms, struct asc_err *e);
enum asc_status journal_add(struct journal *j, const struct arm *arm, uint64_t index,
			    const struct config *c, const struct result *r, struct asc_err *e);
enum asc_status journal_add_final(struct journal *j, const struct db_final *row, struct asc_err *e);

/* A trial that was not decided, or dropped for being slow, has passed. */
enum asc_status journal_pass(struct journal *j, const struct db_implementation *i,
			     const char *config_key, struct asc_err *e);
enum asc_status journal_set_sure(struct journal *j, const struct sureness *s, bool apart,
				 struct asc_err *e);
enum asc_status journal_add_steadiness(struct journal *j, const struct loop_steadiness *s,
				       struct asc_err *e);
enum asc_status journal_find(struct journal *j, const struct arm *arm, const struct config *c,
			     struct result *out, bool *found, struct asc_err *e);

/* The fastest that any run has recorded of an implementation here; `out` is empty before. */
enum asc_status journal_find_fastest(struct journal *j, const char *implementation,
				     struct loop_trial *out, struct asc_err *e);

/* Notes how the run ended. Keeps `status` and `e` when the run had failed already. */
enum asc_status journal_end(struct journal *j, enum asc_status status, bool interrupted,
			    struct asc_err *e);

#endif
