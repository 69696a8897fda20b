/* One implementation within a loop: its space, its strategy, and the key under which its results
 * stay valid. */
#ifndef ASCTUNE_TUNE_IMPL_SEARCH_H
#define ASCTUNE_TUNE_IMPL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search/visits.h"
#include "tuner/tune/search_history.h"

struct binding;
struct binding_features;
struct config;
struct implementation;
struct loop_options;
struct space;
struct strategy;

struct impl_search {
	const struct implementation *implementation; /* borrowed */
	struct space *space;
	struct binding_features *features; /* of its configurations; owned */
	const struct strategy_ops *ops;    /* kind of the strategy */
	struct strategy *strategy;         /* NULL until impl_searches_start() */
	struct strategy_part part;         /* of the space, that is searched */
	struct visits seen;                /* indices of `recorded` */
	struct search_history history;     /* earlier results that the strategy begins with */
	char key[33]; /* source, included files, toolchain, call, verification: when one changes,
			 recorded results no longer count */
	char source_digest[33];  /* as in struct db_implementation */
	char *toolchain;         /* toolchain as the builder describes it; owned */
	char *options, *sources; /* as in struct db_implementation, NULL where nothing is built;
				    owned */
	uint64_t default_index;  /* index of the default configuration */
	bool default_asked;      /* the default configuration was asked for */
	bool chosen;       /* with loop_options.config or .given: `choices` alone are asked for */
	uint64_t *choices; /* indices that are asked for before the strategy's; owned */
	size_t n_choices, n_asked;
	struct recorded_index
		*recorded; /* asked behind the choices, before the strategy's; owned */
	size_t n_recorded, n_taken, recorded_room;
	unsigned baseline; /* place among the workload's baselines, from 1; 0: it is none */
};

struct recorded_index { /* a configuration with a result from before, taken with --resume */
	uint64_t index;
	int64_t trial_id; /* the first that recorded it */
};

/* Implementation whose kernel is not what the workload says: its module cannot be imported, has no
 * such function, or that takes other arguments. */
struct broken_kernel {
	const struct implementation *implementation;
	char *reason; /* heap */
};

struct impl_searches {
	struct impl_search *list;
	size_t n;
	struct broken_kernel *broken; /* left out for that; heap */
	size_t n_broken;
	size_t turn; /* search whose turn it is */
};

/* Identity of the implementation in the database, borrowed from the search. */
struct db_implementation impl_search_identity(const struct impl_search *search);

/* Opens a search for each implementation that can run; a note says why others that are meant for
 * this class of device are left out. ASC_ABSENT: none can, or has a configuration that is given.
 * With loop_options.config there has to be one, and ASC_INPUT says why that configuration is none
 * of it. */
enum asc_status impl_searches_open(const struct loop_options *o, const struct binding *b,
				   struct impl_searches *out, struct asc_err *e);

/* True where a Python function takes part: the user has named an interpreter, or asks for the
 * function, and the interpreter can be a worker. */
bool impl_searches_run_python(const struct loop_options *o, const struct binding *b);

/* Gets the only search there is; NULL, with ASC_INPUT and the implementations' names, where there
 * are several. */
struct impl_search *impl_searches_only(const struct impl_searches *a, struct asc_err *e);

/* Reads "NAME=VALUE,...": a parameter that is not named has the value of the default, or, `whole`,
 * is a fault. ASC_INPUT, with the reason, for what the space does not have. */
enum asc_status impl_search_parse(const struct impl_search *search, const char *text, bool whole,
				  struct config *c, uint64_t *index, struct asc_err *e);

/* Makes the strategies; with loop_options.history they begin with earlier results of `db`. */
enum asc_status impl_searches_start(struct impl_searches *a, const struct loop_options *o,
				    struct db *db, struct asc_err *e);

/* Has a search ask for a configuration that has a result on record, before its strategy is asked:
 * with --resume. For a strategy that learns, which goes another way each time, because results come
 * in another order, and would come across a part of the recorded ones only. One that does not learn
 * asks the same indices in the same order again, comes across all of them by itself, and is left
 * alone. A db_recorded_fn whose `user` is a struct impl_search. */
enum asc_status impl_search_add_recorded(void *user, const char *config_key, int64_t first_id,
					 struct asc_err *e);
void impl_searches_close(struct impl_searches *a);

/* True for an index that is asked for whatever the strategy says: one that is chosen, or among
 * loop_options.first. */
bool impl_search_is_choice(const struct impl_search *s, uint64_t index);

/* Number of trials in a budget of `trials` (0: no limit): a baseline's default is never left out
 * for one of another implementation. */
uint64_t impl_searches_budget(const struct impl_searches *a, uint64_t trials);

/* Asks one search for its next configurations: the default before the choices, these before what is
 * on record, and that before the strategy's; those that are chosen are the only ones. *n: the
 * number wanted, at least 1; then the number found, 0 as below. */
enum asc_status impl_search_ask(struct impl_search *search, uint64_t *list, size_t *n,
				struct asc_err *e);

/* Asks for the next configurations of one search; one at a time where there are several, of the
 * search that promises most (strategy_promise()), though none has less than a small part of the
 * trials; equals take turns. *n: the number wanted, at least 1; then the number found. 0: the
 * search waits for results; while nothing is pending, every space is exhausted. */
enum asc_status impl_searches_ask(struct impl_searches *a, size_t *search, uint64_t *list,
				  size_t *n, struct asc_err *e);

#endif
