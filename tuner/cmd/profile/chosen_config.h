/* Which configuration a command is about that takes one, and what it is held against: the best on
 * record, --config, --against. */
#ifndef ASCTUNE_CMD_PROFILE_CHOSEN_CONFIG_H
#define ASCTUNE_CMD_PROFILE_CHOSEN_CONFIG_H

#include "tuner/base/err.h"

struct problem;
struct problem_choice;
struct target;
struct workload;

struct config_question { /* borrowed */
	const char *db;  /* path of the database; one that is not there has nothing on record */
	const struct target *target; /* a model that is not here has results by its architecture */
	const struct workload *workload;
	const struct problem *problem;
	const char *implementation; /* NULL: any */
	const char *cache;          /* name of the cache policy; NULL: cold before hot */
};

/* Texts on the heap; the caller's storage, zeroed: chosen_config_fini(). */
struct chosen_config {
	char *implementation, *config; /* NULL: the only one; the default */
	double vs_default;             /* as in struct best_row; 0: not known */
};
void chosen_config_fini(struct chosen_config *c);

/* Chooses the one problem that is meant. ASC_USAGE, with their names: there are several. */
enum asc_status chosen_problem_find(const struct target *t, const struct workload *w,
				    const struct problem_choice *choice, const char *verb,
				    const struct problem **out, struct asc_err *e);

/* Finds the best on record. ASC_INPUT: there is none. */
enum asc_status chosen_config_find_best(const struct config_question *q, struct chosen_config *out,
					struct asc_err *e);

/* Finds what a text names: NAME=VALUE,..., "default" or the number of a trial. The first two are of
 * `implementation`, NULL: the only one. */
enum asc_status chosen_config_parse(const struct config_question *q, const char *text,
				    const char *implementation, struct chosen_config *out,
				    struct asc_err *e);

#endif
