/* Search strategies: each chooses the configurations to try next. A strategy never sees a device;
 * it works on the indices of a space.
 *
 * Asynchronous: a strategy may be asked while earlier answers are pending, and told in any order.
 * Every index is asked at most once. */
#ifndef ASCTUNE_TUNE_SEARCH_STRATEGY_H
#define ASCTUNE_TUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/workload/space/config.h"

struct space;
struct strategy;

/* A result from before the search. */
struct strategy_known {
	struct config config; /* values of the space's parameters; may be outside of the space */
	double score;         /* score as in tell, compared with others of its source */
	const char *source;   /* device and problem that it was measured on */
};

/* SOURCES: sources of a history that count; FEWEST: results that each has at least. FIRST:
 * questions that the best of a history take at most: the very first one, then by turns with the
 * strategy's own, while a result of these is the best. */
enum { STRATEGY_HISTORY_SOURCES = 4, STRATEGY_HISTORY_FEWEST = 5, STRATEGY_HISTORY_FIRST = 3 };

/* Finds a result that counts: it has a score, and the configuration is one of the space. */
bool strategy_known_find(const struct strategy_known *k, const struct space *space,
			 uint64_t *index);

/* A part of a space: part `number` (1 ..) of `count`, by the hash of a configuration's text, so
 * that it is the same in every space that has the configuration. count 0: the whole space. */
struct strategy_part {
	uint64_t number, count;
};

bool strategy_part_has(const struct strategy_part *p, const struct space *space, uint64_t index);

enum { STRATEGY_MAX_FEATURES = 12 };

/* Numbers that a workload states for each configuration beside its parameters. */
struct strategy_features {
	size_t n; /* at most STRATEGY_MAX_FEATURES */
	/* Writes n numbers. Their logarithms count; a number below 1 counts as 1. */
	void (*get)(const void *user, const struct config *c, double *out);
	const void *user;
};

struct strategy_options { /* all pointers are borrowed until free */
	const struct space *space;
	uint64_t seed;
	uint64_t trials;        /* budget of the run in trials; 0: no limit */
	int64_t ns;             /* budget in time; 0: no limit */
	bool may_end;           /* the search may end before its budget (patience.h) */
	uint64_t default_index; /* the default configuration, which others have asked before */
	const struct strategy_known *history; /* of a configuration and source the first counts */
	size_t n_history;
	size_t history_first;              /* questions that the best of the history take at most */
	struct strategy_features features; /* n 0: none */
	struct strategy_part part;         /* nothing else of the space is asked */
};

/* One kind of strategy; strategy_core.h has the rest that an implementation needs. */
struct strategy_ops {
	const char *name;
	const char *summary;
	size_t size; /* bytes of its structure, whose first member is a struct strategy */
	bool whole;  /* asks the whole space: a history decides the order of all it knows */
	/* Prepares what the structure has beside its first member, which is made, and zeros. NULL:
	 * nothing to prepare. */
	enum asc_status (*begin)(struct strategy *s, struct asc_err *e);
	void (*end)(struct strategy *s); /* frees what it owns, after a begin that failed, too */
	/* Chooses an index that was not visited. *found false: it waits for a result. */
	enum asc_status (*next)(struct strategy *s, uint64_t *index, bool *found,
				struct asc_err *e);
	/* Tells the gain that it expects of its next questions, as strategy_expect(). NULL: it
	 * expects nothing. */
	double (*expect)(struct strategy *s);
	/* Takes a result as strategy_tell() does; the visit has the score. NULL: results decide
	 * nothing. */
	enum asc_status (*learn)(struct strategy *s, uint64_t index, const struct result *r,
				 double score, struct asc_err *e);
};

/* Entries of strategy_list, each defined in a file of its own. */
extern const struct strategy_ops strategy_exhaustive, strategy_random, strategy_climb,
	strategy_anneal, strategy_genetic, strategy_evolve, strategy_tabu, strategy_model;
extern const struct strategy_ops *const strategy_list[];
const struct strategy_ops *strategy_find(const char *name);

/* Finds the strategy that a user names; NULL for `auto`. ASC_USAGE: there is none, with the nearest
 * name. */
enum asc_status strategy_parse(const char *name, const struct strategy_ops **out,
			       struct asc_err *e);

/* Strategy when none is named: exhaustive where the budget surely covers the space, else model. */
extern const char strategy_auto_summary[];
const struct strategy_ops *strategy_auto(const struct strategy_options *o);

/* Makes a strategy. With equal options it asks equal indices when told equal results in equal
 * order, on every machine. */
enum asc_status strategy_new(const struct strategy_ops *ops, const struct strategy_options *o,
			     struct strategy **out, struct asc_err *e);
void strategy_free(struct strategy *s);

/* Number of devices that measure its questions, at first 1: of so many results none is waited for
 * before another question. */
void strategy_set_devices(struct strategy *s, size_t n);

/* Asks: *n is the number wanted, at least 1; then the number in `list`. Fewer: the strategy waits
 * for results. 0 while nothing is pending: nothing is left to try. */
enum asc_status strategy_ask(struct strategy *s, uint64_t *list, size_t *n, struct asc_err *e);

/* Tells the result of an index that was asked or skipped. The lower `score` is the better;
 * infinite when the result has none. */
enum asc_status strategy_tell(struct strategy *s, uint64_t index, const struct result *r,
			      double score, struct asc_err *e);

/* Several strategies that search for the same thing, the implementations of one problem, share a
 * budget by these: number of trials, pending ones too; true when nothing is left to ask; and the
 * promise of the next trial, a logarithm of a score, the lower the better: that of the best score
 * less an optimism that shrinks with the number of trials. */
size_t strategy_trials(const struct strategy *s);
bool strategy_is_done(const struct strategy *s);
double strategy_promise(const struct strategy *s);

/* Gain that the strategy expects of its next questions: the logarithm of the best score less that
 * of the lowest score that may come. Infinite: it does not know yet; 0: it expects nothing. */
double strategy_expect(struct strategy *s);

/* Excludes an index that others ask. strategy_resume(): one that an earlier run has tried
 * for this search. */
enum asc_status strategy_skip(struct strategy *s, uint64_t index, struct asc_err *e);
enum asc_status strategy_resume(struct strategy *s, uint64_t index, struct asc_err *e);

#endif
